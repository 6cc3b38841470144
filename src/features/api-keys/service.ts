import type { MemberCtx, MemberId, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { hashSecret, newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import type { Permission } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import type { ApiKey } from "./contract.ts";
import * as store from "./store.ts";

export const keyPrefix = "sbx_";

/** Whose keys the caller may see and end: their own, or everyone's. */
const reachOf = ({ member }: MemberCtx) => (member.permissions.has("api_keys:manage") ? null : member.id);

export async function list(ctx: MemberCtx, query: PageQuery) {
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, reachOf(ctx), readIdCursor(query), query.limit + 1),
    query,
  );
}

interface NewKey {
  name: string;
  expiresAt?: number | undefined;
  permissions?: Permission[] | undefined;
}

export async function create(ctx: MemberCtx, { name, expiresAt, permissions }: NewKey) {
  const { db, orgId, member } = ctx;
  if (expiresAt !== undefined && expiresAt <= Date.now())
    throw invalidField(["expiresAt"], "This is in the past.");
  if (expiresAt !== undefined && expiresAt > maxTime)
    throw invalidField(["expiresAt"], "This is too far in the future.");
  checkOwn(member, permissions);
  const key = newToken(keyPrefix);
  return db.transaction(async (tx) => {
    await takeQuota(ctx, tx, orgId, "api_keys");
    const apiKey = await insert(tx, orgId, member.id, key, {
      name,
      permissions: permissions ?? null,
      expiresAt: expiresAt ?? null,
    });
    await record(ctx, tx, {
      action: "api_key.created",
      target: { type: "api_key", id: apiKey.id },
      after: apiKey,
    });
    return { apiKey, key };
  });
}

function checkOwn(member: MemberCtx["member"], permissions: readonly string[] | null | undefined): void {
  const missing = permissions?.find((permission) => !member.permissions.has(permission));
  if (missing)
    throw forbidden("missing_permission", `A key cannot have ${missing}: you do not have it yourself.`);
}

/** For rooms that hand out a key of their own making. The caller checks what it may have. */
export async function insert(
  tx: Db,
  orgId: OrgId,
  memberId: MemberId,
  key: string,
  { name, permissions, expiresAt }: Pick<ApiKey, "name" | "permissions" | "expiresAt">,
): Promise<ApiKey> {
  const apiKey = await store.insert(tx, orgId, {
    id: newId("key"),
    memberId,
    name,
    start: key.slice(0, keyPrefix.length + 6),
    keyHash: hashSecret(key),
    permissions,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  });
  if (!apiKey) throw new Error("The key was not stored.");
  return apiKey;
}

export async function rotate(ctx: MemberCtx, id: string, { overlapSeconds }: { overlapSeconds: number }) {
  const { orgId, member } = ctx;
  const key = newToken(keyPrefix);
  return ctx.db.transaction(async (tx) => {
    // One's own only: the new key acts as its member, and is shown to whoever rotates it.
    const old = isId("key", id) ? await store.lockOwn(tx, orgId, member.id, id) : undefined;
    if (!old) throw notFound("api_key");
    if (old.replacedBy)
      throw conflict("api_key_replaced", `It was rotated. Rotate ${old.replacedBy} instead.`);
    if (old.isOver) throw conflict("api_key_expired", "This key has expired. Make a new one.");
    checkOwn(member, old.permissions);
    const apiKey = await insert(tx, orgId, member.id, key, old);
    const keyId = old.id as store.ApiKeyId;
    const previous = overlapSeconds
      ? await store.replace(tx, orgId, keyId, apiKey.id as store.ApiKeyId, overlapSeconds)
      : await store.remove(tx, orgId, member.id, keyId).then(() => null);
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, {
      action: "api_key.rotated",
      target: { type: "api_key", id },
      after: { newKeyId: apiKey.id, overlapSeconds },
    });
    return { apiKey, key, previous: previous ?? null };
  });
}

/** The last moment a calendar date can name; the database's own end is not far beyond. */
const maxTime = Date.UTC(9999, 11, 31);

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const ended = isId("key", id) ? await store.remove(tx, ctx.orgId, reachOf(ctx), id) : undefined;
    if (!ended) throw notFound("api_key");
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, { action: "api_key.removed", target: { type: "api_key", id }, before: ended });
  });
}
