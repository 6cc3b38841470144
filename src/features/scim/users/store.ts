import type { MemberId, OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { UserResource } from "../resources/index.ts";
import { foldCase, isActive, toUserDocument, userVersion } from "../search/index.ts";

/** The stored attributes of a user. `active` is always set. */
export type StoredUser = UserResource & { active: boolean };

export interface UserRow {
  id: string;
  resource: StoredUser;
  memberId: MemberId | null;
  /** False also for a member whom an admin deactivated, whatever the directory says. */
  isActive: boolean;
  version: string;
  createdAt: number;
  updatedAt: number;
}

const columns = sql`r.id, r.resource, r.member_id as "memberId", ${isActive} as "isActive", ${userVersion} as version,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

export const find = (db: Db, orgId: OrgId, connectorId: string, id: string) =>
  db.row<UserRow>(sql`
    select ${columns} from scim_users r
    where r.org_id = ${orgId} and r.connector_id = ${connectorId} and r.id = ${id}`);

/** Undefined when the name is taken. */
export const insert = (db: Db, orgId: OrgId, connectorId: string, id: string, resource: StoredUser) =>
  db.row<UserRow>(sql`
    insert into scim_users as r (id, org_id, connector_id, user_name, user_name_key, external_id, active, resource, search)
    values (${id}, ${orgId}, ${connectorId}, ${resource.userName}, ${foldCase(resource.userName)},
      ${resource.externalId ?? null}, ${resource.active}, ${JSON.stringify(resource)}::text::jsonb,
      ${JSON.stringify(toUserDocument(resource))}::text::jsonb)
    on conflict (connector_id, user_name_key) do nothing returning ${columns}`);

/** Another user with the same name violates the index `scim_users_name`. */
export const update = (db: Db, orgId: OrgId, id: string, resource: StoredUser) =>
  db.row<UserRow>(sql`
    update scim_users r set user_name = ${resource.userName}, user_name_key = ${foldCase(resource.userName)},
      external_id = ${resource.externalId ?? null}, active = ${resource.active},
      resource = ${JSON.stringify(resource)}::text::jsonb, search = ${JSON.stringify(toUserDocument(resource))}::text::jsonb,
      version = r.version + 1, updated_at = now()
    where r.org_id = ${orgId} and r.id = ${id} returning ${columns}`);

export const isNameTaken = async (db: Db, orgId: OrgId, connectorId: string, id: string, userName: string) =>
  (await db.row(sql`
    select 1 from scim_users where org_id = ${orgId} and connector_id = ${connectorId}
      and user_name_key = ${foldCase(userName)} and id <> ${id}`)) !== undefined;

/** The groups of the user read differently from now on, so their versions change. */
export const raiseVersionOfGroups = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`
    update scim_groups g set version = g.version + 1, updated_at = now()
    where g.org_id = ${orgId} and g.id in (select m.group_id from scim_group_members m where m.user_id = ${id})`);

export const leaveGroups = async (db: Db, orgId: OrgId, id: string) => {
  await raiseVersionOfGroups(db, orgId, id);
  await db.run(sql`delete from scim_group_members where org_id = ${orgId} and user_id = ${id}`);
};

export const remove = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`delete from scim_users where org_id = ${orgId} and id = ${id}`);

/** The groups of all these users, in one statement. */
export const listGroups = (db: Db, orgId: OrgId, userIds: readonly string[]) =>
  db.rows<{ userId: string; groupId: string; display: string }>(sql`
    select m.user_id as "userId", g.id as "groupId", g.display_name as display
    from scim_group_members m join scim_groups g on g.id = m.group_id
    where m.org_id = ${orgId} and m.user_id = any(${userIds}::text[]) order by g.id`);
