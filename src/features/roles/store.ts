import type { OrgId } from "../../platform/context.ts";
import { type Db, filterOrder, sql } from "../../platform/db/index.ts";
import type { Id } from "../../platform/ids.ts";
import type { Role } from "./contract.ts";

export type RoleId = Id<"role">;
export type CustomRole = Omit<Role, "builtIn" | "memberCount">;

const columns = sql`r.id, r.name, r.description, r.permissions, r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/**
 * Changes of rights in an organization run one at a time, so that each sees the result of the one before. References
 * to the organization do not wait.
 */
export const lockOrganization = (tx: Db, orgId: OrgId) =>
  tx.row<{ id: OrgId }>(sql`select id from organizations where id = ${orgId} for no key update`);

/** Lists all custom roles, because an organization has few. */
export const list = (db: Db, orgId: OrgId) =>
  db.rows<CustomRole>(sql`select ${columns} from roles r where r.org_id = ${orgId} order by r.id desc`);

export const find = (db: Db, orgId: OrgId, id: RoleId) =>
  db.row<CustomRole>(sql`select ${columns} from roles r where r.org_id = ${orgId} and r.id = ${id}`);

export const countMembers = (db: Db, orgId: OrgId) =>
  db.rows<{ role: string; count: number }>(
    sql`select role, count(*)::int as count from members where org_id = ${orgId} group by role`,
  );

type RoleContent = Pick<Role, "name" | "description" | "permissions">;

export const insert = (db: Db, orgId: OrgId, id: RoleId, { name, description, permissions }: RoleContent) =>
  db.row<CustomRole>(sql`
    insert into roles as r (id, org_id, name, description, permissions)
    values (${id}, ${orgId}, ${name}, ${description}, ${permissions}::text[]) returning ${columns}`);

export const update = (db: Db, orgId: OrgId, id: RoleId, { name, description, permissions }: RoleContent) =>
  db.row<CustomRole>(sql`
    update roles r set name = ${name}, description = ${description}, permissions = ${permissions}::text[],
      updated_at = now()
    where r.org_id = ${orgId} and r.id = ${id} returning ${columns}`);

export const remove = (db: Db, orgId: OrgId, id: RoleId) =>
  db.run(sql`delete from roles where org_id = ${orgId} and id = ${id}`);

export const listMembersWithRole = (db: Db, orgId: OrgId, id: RoleId, limit: number) =>
  db.rows<{ id: string; name: string; email: string }>(sql`
    select m.id, u.name, u.email from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.role = ${id} order by ${filterOrder(sql`m.id`)} desc limit ${limit}`);

export const countUses = (db: Db, orgId: OrgId, id: RoleId) =>
  db.row<{ members: number; invitations: number; ssoConnectors: number; scimConnectors: number }>(sql`
    select (select count(*)::int from members where org_id = ${orgId} and role = ${id}) as members,
      (select count(*)::int from invitations where org_id = ${orgId} and role = ${id}
        and accepted_at is null and cancelled_at is null and expires_at > now()) as invitations,
      (select count(*)::int from sso_connectors c where c.org_id = ${orgId} and ${givesRole(id)}) as "ssoConnectors",
      (select count(*)::int from scim_connectors c where c.org_id = ${orgId} and ${givesRole(id)}) as "scimConnectors"`);

/** Connector `c` gives this role to people who sign in, or whom the directory creates. */
const givesRole = (id: RoleId) => sql`(c.default_role = ${id}
  or c.group_mappings @> jsonb_build_array(jsonb_build_object('role', ${id}::text)))`;
