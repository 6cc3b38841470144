import type { MemberId, OrgId } from "../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import { CredentialLookup, type LastUse } from "../credentials/index.ts";
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
  tx.row<ApiKey & { isOver: boolean }>(sql`
    select ${columns}, coalesce(k.expires_at <= now(), false) as "isOver" from api_keys k
    where k.org_id = ${orgId} and k.member_id = ${memberId} and k.id = ${id} for update`);

/** It ends after so many seconds, or when it would have ended anyway. */
export const replace = (db: Db, orgId: OrgId, id: ApiKeyId, by: ApiKeyId, seconds: number) =>
  db.row<ApiKey>(sql`
    update api_keys k set replaced_by = ${by},
      expires_at = least(k.expires_at, now() + make_interval(secs => ${seconds}))
    where k.org_id = ${orgId} and k.id = ${id} returning ${columns}`);

/** `memberId` null: of every member. */
export const list = (db: Db, orgId: OrgId, memberId: MemberId | null, after: string, limit: number) =>
  db.rows<ApiKey>(sql`
    select ${columns} from api_keys k
    where k.org_id = ${orgId} and k.id < ${after} ${ofMember(memberId)}
    order by k.id desc limit ${limit}`);

/** The key it ended: none when it is not this organization's, or not this member's. */
export const remove = (db: Db, orgId: OrgId, memberId: MemberId | null, id: ApiKeyId) =>
  db.row<ApiKey>(sql`delete from api_keys k
    where org_id = ${orgId} and id = ${id} ${ofMember(memberId)} returning ${columns}`);

const ofMember = (memberId: MemberId | null) => (memberId ? sql`and member_id = ${memberId}` : emptySql);

export interface KeyColumns {
  id: ApiKeyId;
  permissions: string[] | null;
}

export const keyLookup = new CredentialLookup<KeyColumns>({
  columns: sql`k.id, k.permissions`,
  from: sql`api_keys k join members m on m.id = k.member_id and m.org_id = k.org_id`,
  hash: sql`k.key_hash`,
  valid: sql`(k.expires_at is null or k.expires_at > now())`,
});

export const keyLastUse: LastUse = { table: sql`api_keys`, set: sql`last_used_at = now()` };

/** `members` is a condition on the members whose keys are deleted. Returns one row per key. */
export const removeKeysAcrossOrganizations = (db: Db, members: Sql) =>
  db.rows<{ orgId: OrgId; memberId: MemberId }>(sql`
    delete from api_keys k using members m where m.id = k.member_id and ${members}
    returning k.org_id as "orgId", k.member_id as "memberId"`);
