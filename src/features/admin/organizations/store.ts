import type { OrgId } from "../../../platform/context.ts";
import { type Db, listSource, sql } from "../../../platform/db/index.ts";
import type { AdminOrganization } from "./contract.ts";

export type OrganizationRow = Omit<AdminOrganization, "runs" | "failures" | "costMicros">;

const stateOf = sql`case when o.suspended_at is not null then 'suspended'
  when o.provisional_until is not null then 'provisional' else 'active' end`;

const columns = sql`o.id, o.name, o.slug, ${stateOf} as state, o.suspended_at as "suspendedAt",
  o.suspended_reason as "suspendedReason", (select count(*) from members m where m.org_id = o.id) as members,
  (select coalesce(sum(u.used), 0)::bigint from organization_usage u where u.org_id = o.id) as "storageBytes",
  (select coalesce(jsonb_object_agg(q.quota, q.max), '{}') from organization_quotas q where q.org_id = o.id) as limits,
  o.created_at as "createdAt"`;

interface Filter {
  state: AdminOrganization["state"] | undefined;
  search: string | undefined;
}

/** Escapes the characters that have a meaning in a pattern. */
const toPrefix = (search: string) => `${search.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;

export const listAcrossOrganizations = (db: Db, { state, search }: Filter) => {
  const prefix = search === undefined ? null : toPrefix(search);
  return listSource<OrganizationRow>(db, {
    filtered: state !== undefined || search !== undefined,
    candidates: (after, count) => sql`
      select o.id, (${state ?? null}::text is null or ${stateOf} = ${state ?? null})
        and (${prefix}::text is null or lower(o.name) like ${prefix} or o.slug like ${prefix}) as matches
      from organizations o where o.id < ${after} order by o.id desc limit ${count}`,
    rows: (ids) => sql`select ${columns} from organizations o where o.id = any(${ids})`,
  });
};

export const find = (db: Db, orgId: OrgId) =>
  db.row<OrganizationRow>(sql`select ${columns} from organizations o where o.id = ${orgId}`);
