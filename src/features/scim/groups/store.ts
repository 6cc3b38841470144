import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import type { GroupResource } from "../resources/index.ts";
import { foldCase, type GroupRow, toGroupDocument } from "../search/index.ts";

const columns = sql`r.id, r.resource, r.version::text, r.created_at as "createdAt", r.updated_at as "updatedAt"`;

export const find = (db: Db, orgId: OrgId, connectorId: string, id: string) =>
  db.row<GroupRow>(sql`
    select ${columns} from scim_groups r
    where r.org_id = ${orgId} and r.connector_id = ${connectorId} and r.id = ${id}`);

/** Undefined when the name is taken. */
export const insert = (db: Db, orgId: OrgId, connectorId: string, id: string, resource: GroupResource) =>
  db.row<GroupRow>(sql`
    insert into scim_groups as r (id, org_id, connector_id, display_name, display_name_key, external_id, resource, search)
    values (${id}, ${orgId}, ${connectorId}, ${resource.displayName}, ${foldCase(resource.displayName)},
      ${resource.externalId ?? null}, ${JSON.stringify(resource)}::text::jsonb,
      ${JSON.stringify(toGroupDocument(resource))}::text::jsonb)
    on conflict (connector_id, display_name_key) do nothing returning ${columns}`);

/** Also called when only the members changed, because they are part of the version. */
export const update = (db: Db, orgId: OrgId, id: string, resource: GroupResource) =>
  db.row<GroupRow>(sql`
    update scim_groups r set display_name = ${resource.displayName},
      display_name_key = ${foldCase(resource.displayName)}, external_id = ${resource.externalId ?? null},
      resource = ${JSON.stringify(resource)}::text::jsonb, search = ${JSON.stringify(toGroupDocument(resource))}::text::jsonb,
      version = r.version + 1, updated_at = now()
    where r.org_id = ${orgId} and r.id = ${id} returning ${columns}`);

export const isNameTaken = async (
  db: Db,
  orgId: OrgId,
  connectorId: string,
  id: string,
  displayName: string,
): Promise<boolean> =>
  (await db.row(sql`
    select 1 from scim_groups where org_id = ${orgId} and connector_id = ${connectorId}
      and display_name_key = ${foldCase(displayName)} and id <> ${id}`)) !== undefined;

export const remove = (db: Db, orgId: OrgId, id: string) =>
  db.run(sql`delete from scim_groups where org_id = ${orgId} and id = ${id}`);

type UserIds = { userId: string }[];

/** Those of the ids that are users of this directory. Null: all users of the directory. */
export const listKnownUsers = (
  db: Db,
  orgId: OrgId,
  connectorId: string,
  userIds: readonly string[] | null,
) =>
  db.rows<{ id: string }>(sql`
    select id from scim_users where org_id = ${orgId} and connector_id = ${connectorId}
      and (${userIds}::text[] is null or id = any(${userIds}::text[]))`);

/** The users are known. Returns those who were not members before. One statement, however many there are. */
export const addMembers = async (
  db: Db,
  orgId: OrgId,
  connectorId: string,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> =>
  toIds(
    await db.rows<{ userId: string }>(sql`
      insert into scim_group_members (group_id, user_id, org_id, connector_id)
      select ${groupId}, g.id, ${orgId}, ${connectorId} from unnest(${userIds}::text[]) as g(id)
      on conflict do nothing returning user_id as "userId"`),
  );

/** Returns the users who were members before. */
export const removeMembers = async (
  db: Db,
  orgId: OrgId,
  groupId: string,
  userIds: readonly string[],
): Promise<string[]> =>
  toIds(
    await db.rows<{ userId: string }>(sql`
      delete from scim_group_members m
      where m.org_id = ${orgId} and m.group_id = ${groupId} and m.user_id = any(${userIds}::text[])
      returning m.user_id as "userId"`),
  );

export const listMemberIds = async (db: Db, orgId: OrgId, groupId: string): Promise<string[]> =>
  toIds(
    await db.rows<{ userId: string }>(
      sql`select user_id as "userId" from scim_group_members where org_id = ${orgId} and group_id = ${groupId}`,
    ),
  );

const toIds = (rows: UserIds) => rows.map(({ userId }) => userId);

export const countMembers = (db: Db, orgId: OrgId, groupIds: readonly string[]) =>
  db.rows<{ groupId: string; count: number }>(sql`
    select group_id as "groupId", count(*)::int as count from scim_group_members
    where org_id = ${orgId} and group_id = any(${groupIds}::text[]) group by group_id`);

/** The members of all these groups, in one statement. */
export const listMembers = (db: Db, orgId: OrgId, groupIds: readonly string[]) =>
  db.rows<{ groupId: string; userId: string; display: string }>(sql`
    select m.group_id as "groupId", u.id as "userId", coalesce(u.resource ->> 'displayName', u.user_name) as display
    from scim_group_members m join scim_users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.group_id = any(${groupIds}::text[]) order by m.group_id, u.id`);
