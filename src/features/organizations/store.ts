import type { OrgId, UserId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import type { Organization } from "./contract.ts";

const columns = sql`o.id, o.name, o.slug, o.allowed_email_domains as "allowedEmailDomains",
  o.session_max_age_minutes as "sessionMaxAgeMinutes", o.require_sso as "requireSso",
  o.break_glass_member_id as "breakGlassMemberId",
  o.provisional_until as "provisionalUntil", o.suspended_at as "suspendedAt", o.created_at as "createdAt", o.updated_at as "updatedAt"`;

interface NewOrganization {
  id: OrgId;
  name: string;
  slug: string;
  /** The workspace is removed after this many days unless it is claimed. Null when it has an owner. */
  provisionalDays: number | null;
}

export const insert = (db: Db, { id, name, slug, provisionalDays }: NewOrganization) =>
  db.row<Organization>(sql`
    insert into organizations as o (id, name, slug, provisional_until)
    values (${id}, ${name}, ${slug}, now() + make_interval(days => ${provisionalDays}::int))
    on conflict (slug) do nothing returning ${columns}`);

export const find = (db: Db, orgId: OrgId) =>
  db.row<Organization>(sql`select ${columns} from organizations o where o.id = ${orgId}`);

export const lock = (db: Db, orgId: OrgId) =>
  db.row<Organization>(sql`select ${columns} from organizations o where o.id = ${orgId} for no key update`);

export const listByUser = (db: Db, userId: UserId, orgId: OrgId | null, after: string, limit: number) =>
  db.rows<Organization>(sql`
    select ${columns} from members m join organizations o on o.id = m.org_id
    where m.user_id = ${userId} and m.deactivated_at is null and (${orgId}::text is null or o.id = ${orgId}) and o.id < ${after}
    order by o.id desc limit ${limit}`);

type ChangeableField =
  | "name"
  | "slug"
  | "allowedEmailDomains"
  | "sessionMaxAgeMinutes"
  | "requireSso"
  | "breakGlassMemberId";

/**
 * Changes the given fields. `undefined` keeps the current value. When another owner may sign in without single sign-on,
 * their earlier sessions may not: those alarmed nobody.
 */
export const update = (
  db: Db,
  orgId: OrgId,
  changes: { [Name in ChangeableField]?: Organization[Name] | undefined },
) => {
  const { name = null, slug = null, allowedEmailDomains = null, sessionMaxAgeMinutes } = changes;
  const { requireSso = null, breakGlassMemberId = null } = changes;
  return db.row<Organization>(sql`
    update organizations o set
      name = coalesce(${name}, o.name),
      slug = coalesce(${slug}, o.slug),
      allowed_email_domains = coalesce(${allowedEmailDomains}::text[], o.allowed_email_domains),
      session_max_age_minutes = case when ${sessionMaxAgeMinutes !== undefined}
        then ${sessionMaxAgeMinutes ?? null}::int else o.session_max_age_minutes end,
      require_sso = coalesce(${requireSso}::boolean, o.require_sso),
      sso_required_at = case when ${requireSso}::boolean = false then null
        when ${breakGlassMemberId} <> coalesce(o.break_glass_member_id, '') then now()
        when ${requireSso}::boolean then coalesce(o.sso_required_at, now())
        else o.sso_required_at end,
      break_glass_member_id = case when ${requireSso}::boolean = false then null
        else coalesce(${breakGlassMemberId}, o.break_glass_member_id) end,
      updated_at = now()
    where o.id = ${orgId} returning ${columns}`);
};

/**
 * Also deletes what makes the organization reachable. Rows of tables that grow with time are left, with a mark: a job
 * removes them (platform/leftovers).
 */
export const remove = (db: Db, orgId: OrgId) => db.run(sql`delete from organizations where id = ${orgId}`);

/** Marks the workspace as claimed. Returns false when it already is, or does not exist. */
export const markClaimed = async (db: Db, orgId: OrgId): Promise<boolean> =>
  (await db.run(sql`update organizations set provisional_until = null, updated_at = now()
    where id = ${orgId} and provisional_until > now()`)) > 0;

/** Suspends the organization, or restores it when the reason is null. The caller has locked it. */
export const setSuspension = (tx: Db, orgId: OrgId, reason: string | null) =>
  tx.row<Organization>(sql`
    update organizations o set suspended_at = case when ${reason}::text is not null then now() end,
      suspended_reason = ${reason}, updated_at = now(),
      restored_at = case when ${reason}::text is null then now() else o.restored_at end
    where o.id = ${orgId} returning ${columns}`);
