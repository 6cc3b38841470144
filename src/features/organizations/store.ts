import type { OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { Organization } from "./contract.ts";

const columns = sql`o.id, o.name, o.slug, o.allowed_email_domains as "allowedEmailDomains",
  o.session_max_age_minutes as "sessionMaxAgeMinutes", o.require_sso as "requireSso",
  o.created_at as "createdAt", o.updated_at as "updatedAt"`;

export const insert = (db: Db, { id, name, slug }: { id: OrgId; name: string; slug: string }) =>
  db.row<Organization>(sql`insert into organizations as o (id, name, slug) values (${id}, ${name}, ${slug})
    on conflict (slug) do nothing returning ${columns}`);

export const find = (db: Db, orgId: OrgId) =>
  db.row<Organization>(sql`select ${columns} from organizations o where o.id = ${orgId}`);

export const lock = (db: Db, orgId: OrgId) =>
  db.row<Organization>(sql`select ${columns} from organizations o where o.id = ${orgId} for no key update`);

export const listOfUser = (db: Db, userId: UserId, orgId: OrgId | null, after: string, limit: number) =>
  db.rows<Organization>(sql`
    select ${columns} from members m join organizations o on o.id = m.org_id
    where m.user_id = ${userId} and (${orgId}::text is null or o.id = ${orgId}) and o.id < ${after}
    order by o.id desc limit ${limit}`);

/** Writes what is given; `undefined` keeps what is there. */
export const update = (
  db: Db,
  orgId: OrgId,
  changes: Partial<Omit<Organization, "id" | "createdAt" | "updatedAt">>,
) => {
  const { name = null, slug = null, allowedEmailDomains = null, sessionMaxAgeMinutes } = changes;
  return db.row<Organization>(sql`
    update organizations o set
      name = coalesce(${name}, o.name),
      slug = coalesce(${slug}, o.slug),
      allowed_email_domains = coalesce(${allowedEmailDomains}::text[], o.allowed_email_domains),
      session_max_age_minutes = case when ${sessionMaxAgeMinutes !== undefined}
        then ${sessionMaxAgeMinutes ?? null}::int else o.session_max_age_minutes end,
      updated_at = now()
    where o.id = ${orgId} returning ${columns}`);
};
