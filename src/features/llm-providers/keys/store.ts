import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { Verdict } from "./verdict.ts";

export type KeyId = Id<"llk">;

export interface KeyRow {
  id: KeyId;
  providerId: Id<"llp">;
  name: string;
  tail: string;
  status: "active" | "retiring" | "disabled";
  retiresAt: number | null;
  replacedBy: string | null;
  lastVerdict: Verdict | null;
  lastMessage: string | null;
  lastTestedAt: number | null;
  lastIssuedAt: number | null;
  createdBy: string;
  createdAt: number;
}

const columns = sql`k.id, k.provider_id as "providerId", k.name, k.tail,
  case when k.disabled_at is not null then 'disabled' when k.retires_at is not null then 'retiring'
    else 'active' end as status,
  k.retires_at as "retiresAt", k.replaced_by as "replacedBy", k.last_verdict as "lastVerdict",
  k.last_message as "lastMessage", k.last_tested_at as "lastTestedAt", k.last_issued_at as "lastIssuedAt",
  k.created_by as "createdBy", k.created_at as "createdAt"`;

/** A retired key is not shown any more, although a job deletes it a little later. */
const isKept = sql`(k.retires_at is null or k.retires_at > now())`;

export const list = (db: Db, orgId: OrgId, providerId: string, after: string, limit: number) =>
  db.rows<KeyRow>(sql`
    select ${columns} from llm_provider_keys k
    where k.org_id = ${orgId} and k.provider_id = ${providerId} and ${isKept} and k.id < ${after}
    order by k.id desc limit ${limit}`);

export type SealedKey = KeyRow & { secret: string };

/** Locks the key until the transaction ends. */
export const lock = (tx: Db, orgId: OrgId, providerId: string, id: KeyId) =>
  tx.row<SealedKey>(sql`
    select ${columns}, k.secret from llm_provider_keys k
    where k.org_id = ${orgId} and k.provider_id = ${providerId} and k.id = ${id} and ${isKept} for no key update`);

export const find = (db: Db, orgId: OrgId, providerId: string, id: KeyId) =>
  db.row<SealedKey>(sql`
    select ${columns}, k.secret from llm_provider_keys k
    where k.org_id = ${orgId} and k.provider_id = ${providerId} and k.id = ${id} and ${isKept}`);

/**
 * The key to use now: the newest active one. Keys that the provider refused come last, and a key that was rotated only
 * if no other works.
 */
export const findUsable = (db: Db, orgId: OrgId, providerId: string) =>
  db.row<SealedKey>(sql`
    select ${columns}, k.secret from llm_provider_keys k
    where k.org_id = ${orgId} and k.provider_id = ${providerId} and k.disabled_at is null and ${isKept}
    order by coalesce(k.last_verdict, '') in ('refused', 'quota_exhausted'), k.retires_at is not null, k.id desc
    limit 1`);

export interface NewKey {
  id: KeyId;
  providerId: string;
  name: string;
  secret: string;
  tail: string;
  createdBy: string;
}

export const insert = (tx: Db, orgId: OrgId, key: NewKey) =>
  tx.row<KeyRow>(sql`
    insert into llm_provider_keys as k (id, org_id, provider_id, name, secret, tail, created_by)
    values (${key.id}, ${orgId}, ${key.providerId}, ${key.name}, ${key.secret}, ${key.tail}, ${key.createdBy})
    returning ${columns}`);

/** With 0 seconds the key ends at once. */
export const retire = (tx: Db, orgId: OrgId, id: KeyId, replacedBy: string, overlapSeconds: number) =>
  tx.run(sql`
    update llm_provider_keys set replaced_by = ${replacedBy},
      retires_at = least(coalesce(retires_at, 'infinity'), now() + make_interval(secs => ${overlapSeconds}::int))
    where org_id = ${orgId} and id = ${id}`);

export const setDisabled = (tx: Db, orgId: OrgId, id: KeyId, disabled: boolean) =>
  tx.run(sql`
    update llm_provider_keys set disabled_at = case when ${disabled}::boolean then now() end
    where org_id = ${orgId} and id = ${id}`);

export const remove = (tx: Db, orgId: OrgId, id: KeyId) =>
  tx.run(sql`delete from llm_provider_keys where org_id = ${orgId} and id = ${id}`);

export const countAll = async (db: Db, orgId: OrgId, providerId: string): Promise<number> =>
  (await db.row<{ count: number }>(sql`
    select count(*)::int as count from llm_provider_keys k
    where k.org_id = ${orgId} and k.provider_id = ${providerId} and ${isKept}`))!.count;

export const recordTest = (db: Db, orgId: OrgId, id: KeyId, verdict: Verdict, message: string) =>
  db.run(sql`
    update llm_provider_keys set last_verdict = ${verdict}, last_message = ${message}, last_tested_at = now()
    where org_id = ${orgId} and id = ${id}`);

/** At most once a minute: the audit log has every hand-out. */
export const recordIssue = (db: Db, orgId: OrgId, id: KeyId) =>
  db.run(sql`
    update llm_provider_keys set last_issued_at = now() where org_id = ${orgId} and id = ${id}
      and (last_issued_at is null or last_issued_at < now() - interval '1 minute')`);

export const removeRetiredAcrossOrganizations = (db: Db) =>
  db.run(sql`delete from llm_provider_keys where retires_at < now()`);
