import type { Db } from "../../../platform/db/index.ts";
import type { ScimCtx } from "../calls/index.ts";
import { groupDefinition } from "../definitions/index.ts";
import { type Resource, writeTag } from "../messages/index.ts";
import { createBaseUrl } from "../protocol.ts";
import {
  type Attributes,
  isReturned,
  type Projection,
  readProjection,
  writeResource,
} from "../resources/index.ts";
import type { GroupRow } from "../search/index.ts";
import * as store from "./store.ts";

export type Asked = Parameters<typeof readProjection>[1];

/** A resource and its version, for the headers. */
export interface Answer {
  resource: Resource;
  version: number;
  location: string;
}

export async function answer(ctx: ScimCtx, db: Db, row: GroupRow, asked: Asked): Promise<Answer> {
  const [resource] = await writeGroups(ctx, db, [row], readProjection(groupDefinition, asked));
  return { resource: resource!, version: row.version, location: locate(ctx, row.id) };
}

const locate = ({ config }: ScimCtx, id: string) => `${createBaseUrl(config)}/Groups/${id}`;

export async function writeGroups(
  ctx: ScimCtx,
  db: Db,
  rows: readonly GroupRow[],
  projection: Projection,
): Promise<Resource[]> {
  const ids = rows.map(({ id }) => id);
  const isListed = isReturned(projection, "members") && ids.length > 0;
  const members = isListed ? await store.listMembers(db, ctx.orgId, ids) : [];
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  const usersUrl = `${createBaseUrl(ctx.config)}/Users`;
  return rows.map(({ id, resource, version, createdAt, updatedAt }) => {
    const own = (byGroup.get(id) ?? []).map(({ userId, display }) => ({
      value: userId,
      $ref: `${usersUrl}/${userId}`,
      type: "User",
      display,
    }));
    const whole: Attributes = {
      ...resource,
      id,
      ...(own.length > 0 ? { members: own } : {}),
      meta: {
        resourceType: "Group",
        created: new Date(createdAt).toISOString(),
        lastModified: new Date(updatedAt).toISOString(),
        location: locate(ctx, id),
        version: writeTag(version),
      },
    };
    return writeResource(groupDefinition, whole, projection) as Resource;
  });
}
