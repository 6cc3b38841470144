import { userDefinition } from "../definitions/index.ts";
import { createBaseUrl } from "../protocol.ts";
import { createWriter, type WritableRow } from "../replies/index.ts";
import { isReturned } from "../resources/index.ts";
import * as store from "./store.ts";

export const { writeRows: writeUsers, answer } = createWriter<WritableRow & { isActive: boolean }>({
  definition: userDefinition,
  path: "Users",
  async readMore(ctx, db, rows, projection) {
    const ids = rows.map(({ id }) => id);
    const isListed = isReturned(projection, "groups") && ids.length > 0;
    const groups = isListed ? await store.listGroups(db, ctx.orgId, ids) : [];
    const byUser = Map.groupBy(groups, ({ userId }) => userId);
    const groupsUrl = `${createBaseUrl(ctx.config)}/Groups`;
    return ({ id, isActive }) => {
      const own = byUser.get(id)?.map(({ groupId, display }) => ({
        ...{ value: groupId, $ref: `${groupsUrl}/${groupId}`, display, type: "direct" },
      }));
      return { active: isActive, ...(own ? { groups: own } : {}) };
    };
  },
});
