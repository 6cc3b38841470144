import { groupDefinition } from "../definitions/index.ts";
import { createBaseUrl } from "../protocol.ts";
import { createWriter } from "../replies/index.ts";
import { isReturned } from "../resources/index.ts";
import type { GroupRow } from "../search/index.ts";
import * as store from "./store.ts";

export const { writeRows: writeGroups, answer } = createWriter<GroupRow>({
  definition: groupDefinition,
  path: "Groups",
  async readMore(ctx, db, rows, projection) {
    const ids = rows.map(({ id }) => id);
    const isListed = isReturned(projection, "members") && ids.length > 0;
    const members = isListed ? await store.listMembers(db, ctx.orgId, ids) : [];
    const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
    const usersUrl = `${createBaseUrl(ctx.config)}/Users`;
    return ({ id }) => {
      const own = byGroup.get(id)?.map(({ userId, display }) => ({
        ...{ value: userId, $ref: `${usersUrl}/${userId}`, type: "User", display },
      }));
      return own ? { members: own } : {};
    };
  },
});
