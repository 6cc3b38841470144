import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";

export type DomainId = Id<"dom">;

export interface DomainRow {
  id: DomainId;
  orgId: OrgId;
  domain: string;
  challenge: string;
  verifiedAt: number | null;
  checkedAt: number | null;
  failingSince: number | null;
  createdAt: number;
}

const columns = sql`d.id, d.org_id as "orgId", d.domain, d.challenge, d.verified_at as "verifiedAt",
  d.checked_at as "checkedAt", d.failing_since as "failingSince", d.created_at as "createdAt"`;

export const insert = (db: Db, orgId: OrgId, given: Pick<DomainRow, "id" | "domain" | "challenge">) =>
  db.row<DomainRow>(sql`
    insert into sso_domains as d (id, org_id, domain, challenge)
    values (${given.id}, ${orgId}, ${given.domain}, ${given.challenge}) on conflict (org_id, domain) do nothing
    returning ${columns}`);

export const list = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<DomainRow>(sql`
    select ${columns} from sso_domains d where d.org_id = ${orgId} and d.id < ${after} order by d.id desc limit ${limit}`);

export const find = (db: Db, orgId: OrgId, id: DomainId) =>
  db.row<DomainRow>(sql`select ${columns} from sso_domains d where d.org_id = ${orgId} and d.id = ${id}`);

/** Another organization's verified domain violates the index `sso_domains_verified`. */
export const markVerified = (db: Db, orgId: OrgId, id: DomainId) =>
  db.row<DomainRow>(sql`
    update sso_domains d set verified_at = coalesce(d.verified_at, now()), checked_at = now(), failing_since = null
    where d.org_id = ${orgId} and d.id = ${id} returning ${columns}`);

/** The record of a verified domain is missing. After `days` of that the domain is no longer verified. */
export const markMissing = (db: Db, orgId: OrgId, id: DomainId, days: number) =>
  db.row<DomainRow>(sql`
    update sso_domains d set checked_at = now(), failing_since = coalesce(d.failing_since, now()),
      verified_at = case when d.failing_since > now() - make_interval(days => ${days}::int) or d.failing_since is null
        then d.verified_at end
    where d.org_id = ${orgId} and d.id = ${id} returning ${columns}`);

export const remove = (db: Db, orgId: OrgId, id: DomainId) =>
  db.row<DomainRow>(
    sql`delete from sso_domains d where d.org_id = ${orgId} and d.id = ${id} returning ${columns}`,
  );

/** Verified domains that were not checked for a day. */
export const listDueAcrossOrganizations = (db: Db, limit: number) =>
  db.rows<DomainRow>(sql`
    select ${columns} from sso_domains d
    where d.verified_at is not null and d.checked_at < now() - interval '23 hours' order by d.checked_at limit ${limit}`);

/** Postpones the next check, when the name servers did not answer. */
export const postpone = (db: Db, orgId: OrgId, id: DomainId) =>
  db.run(sql`
    update sso_domains set checked_at = now() - interval '22 hours' where org_id = ${orgId} and id = ${id}`);

export const isVerified = async (db: Db, orgId: OrgId, domain: string): Promise<boolean> =>
  (await db.row(
    sql`select 1 from sso_domains where org_id = ${orgId} and domain = ${domain} and verified_at is not null`,
  )) !== undefined;

/** Who gets mails about the single sign-on of the organization. Nobody while it is suspended. */
export const listAdmins = (db: Db, orgId: OrgId) =>
  db.rows<{ email: string; name: string; organization: string }>(sql`
    select u.email, u.name, o.name as organization
    from members m join users u on u.id = m.user_id join organizations o on o.id = m.org_id
    where m.org_id = ${orgId} and m.role in ('owner', 'admin') and m.deactivated_at is null and not u.provisional
      and o.suspended_at is null
    order by m.id limit 50`);
