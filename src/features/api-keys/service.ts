import type { MemberCtx, MemberId, OrgId } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { hashSecret, newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { keepCredential } from "../credentials/index.ts";
import type { Permission } from "../permissions/index.ts";
import { takeQuota } from "../quotas/index.ts";
import type { ApiKey } from "./contract.ts";
import * as store from "./store.ts";

export const keyPrefix = "sbx_";

/** The member whose keys the caller may see and remove. Null means every member. */
const toMemberFilter = ({ member }: MemberCtx) =>
  member.permissions.has("api_keys:manage") ? null : member.id;

export async function list(ctx: MemberCtx, query: PageQuery) {
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, toMemberFilter(ctx), readIdCursor(query, "key"), query.limit + 1),
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
  if (expiresAt !== undefined && expiresAt > maxExpiresAt)
    throw invalidField(["expiresAt"], "This is too far in the future.");
  checkOwnPermissions(member, permissions);
  const key = newToken(keyPrefix);
  return db.transaction(async (tx) => {
    await takeQuota(ctx, tx, orgId, "api_keys");
    await keepCredential(ctx, tx);
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

function checkOwnPermissions(
  member: MemberCtx["member"],
  permissions: readonly string[] | null | undefined,
): void {
  const missing = permissions?.find((permission) => !member.permissions.has(permission));
  if (missing)
    throw forbidden("missing_permission", `A key cannot have ${missing}: you do not have it yourself.`);
}

/** For rooms that create keys themselves. The caller checks the permissions. */
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
    // Until the overlap ends, both keys count. The quota locks the organization, and who removes a member locks it first.
    if (overlapSeconds > 0) await takeQuota(ctx, tx, orgId, "api_keys");
    // Only the owner can rotate a key: the reply contains a new key that acts for its member.
    const old = isId("key", id) ? await store.lockOwn(tx, orgId, member.id, id) : undefined;
    await keepCredential(ctx, tx);
    if (!old) throw notFound("api_key");
    if (old.replacedBy)
      throw conflict("api_key_replaced", `It was rotated. Rotate ${old.replacedBy} instead.`);
    if (old.isExpired) throw conflict("api_key_expired", "This key has expired. Create a new one.");
    checkOwnPermissions(member, old.permissions);
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

/** The last day of the year 9999, after which ISO 8601 needs an extended format. */
const maxExpiresAt = Date.UTC(9999, 11, 31);

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const ended = isId("key", id) ? await store.remove(tx, ctx.orgId, toMemberFilter(ctx), id) : undefined;
    if (!ended) throw notFound("api_key");
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, { action: "api_key.removed", target: { type: "api_key", id }, before: ended });
  });
}
