import type { MemberId, OrgId, UserId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { UserResource } from "../resources/index.ts";

export interface Account {
  userId: UserId;
  name: string;
  /** True when the owner of the mailbox proved that the account is theirs. */
  isProven: boolean;
  /** The member of this organization. Null for somebody else. */
  memberId: MemberId | null;
  /** The user of the directory that is linked to the member already. Null when none is. */
  linkedUserId: string | null;
  isLinkedUserActive: boolean | null;
}

/** Returns nothing about memberships in other organizations. */
export const findAccount = (db: Db, orgId: OrgId, email: string) =>
  db.row<Account>(sql`
    select u.id as "userId", u.name, u.email_verified and not u.provisional as "isProven", m.id as "memberId",
      (select s.id from scim_users s where s.member_id = m.id) as "linkedUserId",
      (select s.active from scim_users s where s.member_id = m.id) as "isLinkedUserActive"
    from users u left join members m on m.user_id = u.id and m.org_id = ${orgId} where u.email = ${email}`);

export const hasMember = async (db: Db, orgId: OrgId, email: string): Promise<boolean> =>
  (await db.row(sql`
    select 1 from users u join members m on m.user_id = u.id where u.email = ${email} and m.org_id = ${orgId}`)) !==
  undefined;

export const linkUser = (db: Db, orgId: OrgId, id: string, memberId: MemberId | null) =>
  db.run(sql`update scim_users set member_id = ${memberId} where org_id = ${orgId} and id = ${id}`);

interface UnlinkedUser {
  id: string;
  active: boolean;
  resource: UserResource;
}

/** Active users with this address, as their name or as one of their addresses, who are linked to no member. */
export const listUnlinkedByAddress = (db: Db, orgId: OrgId, email: string, limit: number) =>
  db.rows<UnlinkedUser>(sql`
    select s.id, s.active, s.resource from scim_users s
    where s.org_id = ${orgId} and s.member_id is null and s.active and s.id in (
      select n.id from scim_users n where n.user_name_key = ${email} and n.org_id = ${orgId}
      union select e.user_id from scim_user_emails e where e.email_key = ${email} and e.org_id = ${orgId})
    order by s.id limit ${limit}`);

/** Invitations that were sent to somebody whom the directory removed since then. */
export const cancelInvitations = (db: Db, orgId: OrgId, email: string) =>
  db.run(sql`
    update invitations set cancelled_at = now()
    where org_id = ${orgId} and email = ${email} and accepted_at is null and cancelled_at is null`);

export interface Mapping {
  position: number;
  /** In lower case. */
  key: string;
  name: string;
  role: string | null;
  teamId: string | null;
}

export interface LinkedMember {
  userId: string;
  memberId: MemberId;
  role: string;
  isRoleManaged: boolean;
  /** True when the address of the account was confirmed, or the organization's identity provider names it too. */
  isProven: boolean;
}

/** Users who are members. `userIds` null: all users. */
export const listLinked = (db: Db, orgId: OrgId, connectorId: string, userIds: readonly string[] | null) =>
  db.rows<LinkedMember>(sql`
    select u.id as "userId", m.id as "memberId", m.role, 'role' = any(m.managed_fields) as "isRoleManaged",
      (p.email_verified and not p.provisional) or exists (select from sso_identities i
        where i.org_id = m.org_id and i.user_id = p.id and i.email = p.email) as "isProven"
    from scim_users u join members m on m.id = u.member_id join users p on p.id = m.user_id
    where u.org_id = ${orgId} and u.connector_id = ${connectorId}
      and (${userIds}::text[] is null or u.id = any(${userIds}::text[]))`);

/** What the groups of these users give them, without teams that were removed. One statement, however many there are. */
export const listGiven = (
  db: Db,
  orgId: OrgId,
  connectorId: string,
  mappings: readonly Mapping[],
  userIds: readonly string[] | null,
) =>
  db.rows<{ userId: string; role: string | null; teamIds: string[] }>(sql`
    select gm.user_id as "userId", (array_agg(x.role order by x.position) filter (where x.role is not null))[1] as role,
      coalesce(array_agg(distinct t.id) filter (where t.id is not null), '{}') as "teamIds"
    from json_to_recordset(${JSON.stringify(mappings)}::text::json)
      as x(position int, key text, name text, role text, "teamId" text)
    join scim_groups g on g.org_id = ${orgId} and g.connector_id = ${connectorId}
      and (g.display_name_key = x.key or g.external_id = x.name)
    join scim_group_members gm on gm.group_id = g.id
    left join teams t on t.id = x."teamId" and t.org_id = ${orgId}
    where ${userIds}::text[] is null or gm.user_id = any(${userIds}::text[]) group by gm.user_id`);

/** Those of the custom roles that the organization has. */
export const listRoles = async (db: Db, orgId: OrgId, ids: readonly string[]): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(
      sql`select id from roles where org_id = ${orgId} and id = any(${ids}::text[])`,
    )
  ).map(({ id }) => id);
