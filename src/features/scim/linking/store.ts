import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { isNotSuspended } from "../../suspension/index.ts";
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

export const listIds = (db: Db, orgId: OrgId, after: string, limit: number) =>
  db.rows<{ id: string }>(sql`
    select id from scim_users where org_id = ${orgId} and id > ${after} order by id limit ${limit}`);

/**
 * Lists the directory users that belong to this person. A user that is linked to one of the person's members is always
 * listed. In other organizations, one user with the person's address is listed; an active one goes first. Suspended
 * organizations are left out: a job links their users when they are restored.
 */
export const listByPersonAcrossOrganizations = (db: Db, userId: UserId, limit: number) =>
  db.rows<{ orgId: OrgId; id: string }>(sql`
    select s.org_id as "orgId", s.id from members m join scim_users s on s.member_id = m.id where m.user_id = ${userId}
      and ${isNotSuspended(sql`s.org_id`)}
    union all
    (select distinct on (s.org_id) s.org_id, s.id from users p
      cross join lateral (
        select n.id from scim_users n where n.user_name_key = p.email
        union select e.user_id from scim_user_emails e where e.email_key = p.email) found
      join scim_users s on s.id = found.id
      where p.id = ${userId} and s.member_id is null and ${isNotSuspended(sql`s.org_id`)} order by s.org_id, s.active desc, s.id limit ${limit})`);

/** The user reads differently from now on, so its version changes. */
export const raiseVersion = (db: Db, orgId: OrgId, memberId: MemberId) =>
  db.run(sql`
    update scim_users set version = version + 1, updated_at = now()
    where org_id = ${orgId} and member_id = ${memberId}`);
