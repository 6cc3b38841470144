import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { UserResource } from "../resources/index.ts";

export interface UserRow {
  id: string;
  active: boolean;
  memberId: MemberId | null;
  resource: UserResource;
}

export const find = (db: Db, orgId: OrgId, connectorId: string, id: string) =>
  db.row<UserRow>(sql`
    select id, active, member_id as "memberId", resource from scim_users
    where org_id = ${orgId} and connector_id = ${connectorId} and id = ${id}`);

/** Users who are no members, in the order of their ids. */
export const listUnlinked = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<{ id: string; resource: UserResource }>(sql`
    select id, resource from scim_users
    where org_id = ${orgId} and member_id is null and id > ${after} order by id limit ${limit}`);

/**
 * The users of directories that are this person: those who are linked to a member, and of the others one for each
 * organization that names the person's address, an active one if there is one.
 */
export const listByPersonAcrossOrganizations = (db: Db, userId: UserId, limit: number) =>
  db.rows<{ orgId: OrgId; id: string }>(sql`
    select s.org_id as "orgId", s.id from members m join scim_users s on s.member_id = m.id where m.user_id = ${userId}
    union all
    (select distinct on (s.org_id) s.org_id, s.id from users p
      cross join lateral (
        select n.id from scim_users n where n.user_name_key = p.email
        union select e.user_id from scim_user_emails e where e.email_key = p.email) found
      join scim_users s on s.id = found.id
      where p.id = ${userId} and s.member_id is null order by s.org_id, s.active desc, s.id limit ${limit})`);

/** The user reads differently from now on, so its version changes. */
export const raiseVersion = (db: Db, orgId: OrgId, memberId: MemberId) =>
  db.run(sql`
    update scim_users set version = version + 1, updated_at = now()
    where org_id = ${orgId} and member_id = ${memberId}`);
