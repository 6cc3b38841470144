import type { OrgId } from "../../../platform/context.ts";
import { type Db, emptySql, type Sql, sql } from "../../../platform/db/index.ts";
import type { GroupResource, UserResource } from "../resources/index.ts";
import type { SearchPlan, SortPlan } from "./plan.ts";

/** Where a page begins: after so many results, or after an id. The latter needs the order by id. */
export interface Page {
  offset: number;
  afterId?: string;
  limit: number;
}

export interface Search {
  connectorId: string;
  plan: SearchPlan;
  sort: SortPlan;
  page: Page;
}

export interface UserRow {
  id: string;
  resource: UserResource;
  isActive: boolean;
  version: string;
  createdAt: number;
  updatedAt: number;
}

export interface GroupRow {
  id: string;
  resource: GroupResource;
  version: string;
  createdAt: number;
  updatedAt: number;
}

/** Whether a user is active in the organization. An admin may have deactivated the member before a directory came. */
export const isActive = sql`(r.active and not exists (
  select from members m where m.id = r.member_id and m.deactivated_by = 'admin'))`;

/** Names the groups as well, because they are part of the reply. A group can be very large, so it writes no user. */
export const userVersion = sql`(r.version || coalesce((
  select '-' || to_hex(hashtextextended(string_agg(g.id || g.display_name, ',' order by g.id), 0))
  from scim_group_members own join scim_groups g on g.id = own.group_id and g.org_id = own.org_id
  where own.user_id = r.id and own.org_id = r.org_id), ''))`;

const columns = sql`r.id, r.resource, r.created_at as "createdAt", r.updated_at as "updatedAt"`;

/** Times in documents are whole milliseconds, as in replies. */
const facts = sql`jsonb_build_object('id', r.id, 'meta', jsonb_build_object(
    'created', floor(extract(epoch from r.created_at) * 1000),
    'lastModified', floor(extract(epoch from r.updated_at) * 1000)))`;

function orderBy({ sort, page, plan }: Search): Sql {
  const { offset, limit } = page;
  const range = sql`limit ${limit} offset ${offset}`;
  if (sort.by === "document") {
    const value = sql`coalesce(
      jsonb_path_query_first(r.search, ${sort.primaryPath}::jsonpath), jsonb_path_query_first(r.search, ${sort.path}::jsonpath)
    ) #>> '{}' collate "C"`;
    return sort.descending
      ? sql`order by ${value} desc, r.id ${range}`
      : sql`order by ${value}, r.id ${range}`;
  }
  if (sort.by !== "id") {
    const time = sql`case when ${sort.by === "created"}::boolean then r.created_at else r.updated_at end`;
    return sort.descending ? sql`order by ${time} desc, r.id ${range}` : sql`order by ${time}, r.id ${range}`;
  }
  // With a filter, the order has no index. Otherwise the planner reads all rows by id until a page is full.
  const id = plan.key || plan.path ? sql`(r.id || '')` : sql`r.id`;
  return sort.descending ? sql`order by ${id} desc ${range}` : sql`order by ${id} ${range}`;
}

/** Every id comes after the empty text. */
const after = ({ page }: Search): Sql => sql`and r.id > ${page.afterId ?? ""}`;

function userKey(orgId: OrgId, { connectorId, plan: { key } }: Search): Sql {
  if (!key) return emptySql;
  if (key.column === "id") return sql`and r.id = ${key.value}`;
  if (key.column === "name") return sql`and r.user_name_key = ${key.value}`;
  if (key.column === "externalId") return sql`and r.external_id = ${key.value}`;
  return sql`and r.id in (select m.user_id from scim_group_members m
    where m.org_id = ${orgId} and m.connector_id = ${connectorId} and m.group_id = ${key.value})`;
}

function userPath({ path, needsFacts, needsGroups }: SearchPlan): Sql {
  if (path === undefined) return emptySql;
  if (!needsFacts) return sql`and r.search @@ ${path}::jsonpath`;
  return sql`and (r.search || ${facts} || jsonb_build_object('active', ${isActive})
    || case when ${needsGroups}::boolean then (
    select jsonb_build_object('groups', coalesce(
      jsonb_agg(jsonb_build_object('value', g.id, 'display', g.display_name_key)), '[]'))
    from scim_group_members m join scim_groups g
      on g.id = m.group_id and g.org_id = m.org_id and g.connector_id = m.connector_id
    where m.user_id = r.id and m.org_id = r.org_id and m.connector_id = r.connector_id) else '{}' end
  ) @@ ${path}::jsonpath`;
}

/**
 * With a key, only the index of that key may be used. The planner knows neither how selective a jsonpath is nor that one
 * connector is much larger than others, and would read all rows of the connector. An expression has no index.
 */
const scope = (orgId: OrgId, { connectorId, plan }: Search): Sql =>
  plan.key || plan.email !== undefined
    ? sql`(r.org_id || '') = ${orgId} and (r.connector_id || '') = ${connectorId}`
    : sql`r.org_id = ${orgId} and r.connector_id = ${connectorId}`;

const email = ({ connectorId, plan: { key, email: value } }: Search): Sql =>
  key || value === undefined
    ? emptySql
    : sql`and r.id in (select e.user_id from scim_user_emails e
        where e.email_key = ${value} and e.connector_id = ${connectorId})`;

const fromUsers = (orgId: OrgId, search: Search) => sql`
  from scim_users r where ${scope(orgId, search)} ${userKey(orgId, search)} ${email(search)} ${userPath(search.plan)}`;

export const listUsers = (db: Db, orgId: OrgId, search: Search) =>
  db.rows<UserRow>(
    sql`select ${columns}, ${isActive} as "isActive", ${userVersion} as version
      ${fromUsers(orgId, search)} ${after(search)} ${orderBy(search)}`,
  );

export const countUsers = (db: Db, orgId: OrgId, search: Search) =>
  db.row<{ total: number }>(sql`select count(*)::int as total ${fromUsers(orgId, search)}`);

function groupKey(orgId: OrgId, { connectorId, plan: { key } }: Search): Sql {
  if (!key) return emptySql;
  if (key.column === "id") return sql`and r.id = ${key.value}`;
  if (key.column === "name") return sql`and r.display_name_key = ${key.value}`;
  if (key.column === "externalId") return sql`and r.external_id = ${key.value}`;
  return sql`and r.id in (select m.group_id from scim_group_members m
    where m.org_id = ${orgId} and m.connector_id = ${connectorId} and m.user_id = ${key.value})`;
}

/** Only the members that the filter names are read, because a group can have very many. */
function groupPath({ path, needsFacts, members }: SearchPlan): Sql {
  if (path === undefined) return emptySql;
  if (!needsFacts) return sql`and r.search @@ ${path}::jsonpath`;
  return sql`and (r.search || ${facts} || (
    select jsonb_build_object('members', coalesce(jsonb_agg(jsonb_build_object('value', m.user_id)), '[]'))
    from scim_group_members m
    where m.group_id = r.id and m.org_id = r.org_id and m.connector_id = r.connector_id
      and m.user_id = any(${members}::text[]))
  ) @@ ${path}::jsonpath`;
}

const fromGroups = (orgId: OrgId, search: Search) => sql`
  from scim_groups r where ${scope(orgId, search)} ${groupKey(orgId, search)} ${groupPath(search.plan)}`;

export const listGroups = (db: Db, orgId: OrgId, search: Search) =>
  db.rows<GroupRow>(
    sql`select ${columns}, r.version::text ${fromGroups(orgId, search)} ${after(search)} ${orderBy(search)}`,
  );

export const countGroups = (db: Db, orgId: OrgId, search: Search) =>
  db.row<{ total: number }>(sql`select count(*)::int as total ${fromGroups(orgId, search)}`);
