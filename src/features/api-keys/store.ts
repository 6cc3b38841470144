import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, reuseStatement, type Sql, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import {
  customRole,
  isActiveMember,
  type MembershipRow,
  membershipColumns,
  recordUseAcrossOrganizations,
} from "../credentials/index.ts";
import type { ApiKey } from "./contract.ts";

export type ApiKeyId = Id<"key">;

const columns = sql`k.id, k.name, k.start, k.member_id as "memberId", k.permissions, k.expires_at as "expiresAt",
  k.last_used_at as "lastUsedAt", k.replaced_by as "replacedBy", k.created_at as "createdAt"`;

interface NewKey {
  id: ApiKeyId;
  memberId: MemberId;
  name: string;
  start: string;
  keyHash: string;
  permissions: readonly string[] | null;
  expiresAt: Date | null;
}

export const insert = (db: Db, orgId: OrgId, key: NewKey) =>
  db.row<ApiKey>(sql`
    insert into api_keys as k (id, org_id, member_id, name, start, key_hash, permissions, expires_at)
    values (${key.id}, ${orgId}, ${key.memberId}, ${key.name}, ${key.start}, ${key.keyHash},
      ${key.permissions}::text[], ${key.expiresAt})
    returning ${columns}`);

export const lockOwn = (tx: Db, orgId: OrgId, memberId: MemberId, id: ApiKeyId) =>
  tx.row<ApiKey & { isExpired: boolean }>(sql`
    select ${columns}, coalesce(k.expires_at <= now(), false) as "isExpired" from api_keys k
    where k.org_id = ${orgId} and k.member_id = ${memberId} and k.id = ${id} for update`);

/** A removal in progress is waited for. */
export const keepAcrossOrganizations = async (tx: Db, id: string) =>
  (
    await tx.row<{ keyHash: string }>(
      sql`select key_hash as "keyHash" from api_keys where id = ${id} for key share`,
    )
  )?.keyHash;

/** The replaced key expires after `seconds`, or at its own earlier expiry. */
export const replace = (db: Db, orgId: OrgId, id: ApiKeyId, by: ApiKeyId, seconds: number) =>
  db.row<ApiKey>(sql`
    update api_keys k set replaced_by = ${by},
      expires_at = least(k.expires_at, now() + make_interval(secs => ${seconds}))
    where k.org_id = ${orgId} and k.id = ${id} returning ${columns}`);

/** Lists the keys of every member when `memberId` is null. */
export const list = (db: Db, orgId: OrgId, memberId: MemberId | null, after: string, limit: number) =>
  db.rows<ApiKey>(sql`
    select ${columns} from api_keys k
    where k.org_id = ${orgId} and k.id < ${after} ${filterByMember(memberId)}
    order by k.id desc limit ${limit}`);

/** Returns the removed key. Undefined when it is not a key of this organization and member. */
export const remove = (db: Db, orgId: OrgId, memberId: MemberId | null, id: ApiKeyId) =>
  db.row<ApiKey>(sql`delete from api_keys k
    where org_id = ${orgId} and id = ${id} ${filterByMember(memberId)} returning ${columns}`);

const filterByMember = (memberId: MemberId | null) =>
  memberId ? sql`and member_id = ${memberId}` : emptySql;

const selectByHashes = reuseStatement(
  (keyHashes: readonly string[]) => sql`
    select k.key_hash as hash, k.id, k.permissions, ${membershipColumns}
    from api_keys k join members m on m.id = k.member_id and m.org_id = k.org_id ${customRole}
    where k.key_hash = any(${keyHashes}::text[]) and (k.expires_at is null or k.expires_at > now())
      and ${isActiveMember}`,
);

export type FoundKey = MembershipRow & { hash: string; id: ApiKeyId; permissions: string[] | null };

export const findKeysByToken = (db: Db, keyHashes: readonly string[]) =>
  db.rows<FoundKey>(selectByHashes(keyHashes));

export const recordKeyUseAcrossOrganizations = (db: Db, ids: readonly string[]) =>
  recordUseAcrossOrganizations(db, { table: sql`api_keys`, set: sql`last_used_at = now()` }, ids);

/** `members` is a condition on the members whose keys are deleted. Returns one row per key. */
export const removeKeysAcrossOrganizations = (db: Db, members: Sql) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from api_keys k using members m where m.id = k.member_id and ${members}
    returning k.org_id as "orgId", k.member_id as "memberId"`);
