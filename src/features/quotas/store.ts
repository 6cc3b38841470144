import type { OrgId } from "../../platform/context.ts";
import { type Db, type Sql, sql } from "../../platform/db/index.ts";
import type { ByteQuota, CountQuota, QuotaName } from "./catalogue.ts";

export interface LimitSettings {
  provisional: boolean;
  /** The limit that the operator set for this organization only. */
  override: number | null;
}

/** Reads the terms of a quota and locks the organization's row, so that two transactions do not take the last place. */
export const lockLimitSettings = (tx: Db, orgId: OrgId, quota: QuotaName) =>
  tx.row<LimitSettings>(sql`
    select o.provisional_until is not null as provisional, q.max as override
    from organizations o left join organization_quotas q on q.org_id = o.id and q.quota = ${quota}
    where o.id = ${orgId} for no key update of o`);

/**
 * Counts one object more, and returns how many there are at most. Undefined when they were not counted today. The caller
 * has locked the organization's row.
 */
export const raiseBound = async (tx: Db, orgId: OrgId, quota: CountQuota): Promise<number | undefined> =>
  (
    await tx.row<{ atMost: number }>(sql`
      update quota_bounds set at_most = at_most + 1
      where org_id = ${orgId} and quota = ${quota} and counted_at > now() - interval '1 day'
      returning at_most as "atMost"`)
  )?.atMost;

export const setBound = (tx: Db, orgId: OrgId, quota: CountQuota, atMost: number) =>
  tx.run(sql`
    insert into quota_bounds (org_id, quota, at_most, counted_at) values (${orgId}, ${quota}, ${atMost}::bigint, now())
    on conflict (org_id, quota) do update set at_most = excluded.at_most, counted_at = excluded.counted_at`);

/** Reads the terms of a quota without a lock. */
export const findLimitSettings = (db: Db, orgId: OrgId, quota: QuotaName) =>
  db.row<LimitSettings>(sql`
    select o.provisional_until is not null as provisional, q.max as override
    from organizations o left join organization_quotas q on q.org_id = o.id and q.quota = ${quota}
    where o.id = ${orgId}`);

export const listOverrides = (db: Db, orgId: OrgId) =>
  db.rows<{ quota: string; max: number }>(
    sql`select quota, max from organization_quotas where org_id = ${orgId}`,
  );

/** Replaces the limits that are set for this organization only. */
export const replaceOverrides = async (tx: Db, orgId: OrgId, limits: Readonly<Record<string, number>>) => {
  const names = Object.keys(limits);
  await tx.run(
    sql`delete from organization_quotas where org_id = ${orgId} and quota <> all(${names}::text[])`,
  );
  await tx.run(sql`
    insert into organization_quotas as q (org_id, quota, max)
    select ${orgId}, g.quota, g.max from unnest(${names}::text[], ${Object.values(limits)}::bigint[]) as g(quota, max)
    on conflict (org_id, quota) do update set max = excluded.max, updated_at = now() where q.max <> excluded.max`);
};

export const isProvisional = async (db: Db, orgId: OrgId): Promise<boolean> =>
  (
    await db.row<{ provisional: boolean }>(
      sql`select provisional_until is not null as provisional from organizations where id = ${orgId}`,
    )
  )?.provisional ?? false;

/** The table and the condition that each quota counts. */
const countedRows: Record<CountQuota, (orgId: OrgId) => Sql> = {
  members: (orgId) => sql`members where org_id = ${orgId} and deactivated_at is null`,
  invitations: (orgId) => sql`invitations where org_id = ${orgId} and accepted_at is null
    and cancelled_at is null and expires_at > now()`,
  teams: (orgId) => sql`teams where org_id = ${orgId}`,
  roles: (orgId) => sql`roles where org_id = ${orgId}`,
  api_keys: (orgId) => sql`api_keys where org_id = ${orgId} and (expires_at is null or expires_at > now())`,
  scim_users: (orgId) => sql`scim_users where org_id = ${orgId}`,
  scim_groups: (orgId) => sql`scim_groups where org_id = ${orgId}`,
  mcp_tokens: (orgId) => sql`mcp_tokens where org_id = ${orgId} and expires_at > now()`,
  mcp_clients: (orgId) => sql`mcp_client_grants where org_id = ${orgId} and expires_at > now()`,
  automations: (orgId) => sql`automations where org_id = ${orgId}`,
  runners: (orgId) => sql`automation_runners n where n.org_id = ${orgId}
    and not exists (select from workers w where w.org_id = n.org_id and w.id = n.name)`,
  workers: (orgId) => sql`workers where org_id = ${orgId}`,
  worker_registration_tokens: (orgId) => sql`worker_registration_tokens where org_id = ${orgId}`,
  worker_rollouts: (orgId) => sql`worker_rollouts where org_id = ${orgId} and ended_at is null`,
  templates: (orgId) => sql`templates where org_id = ${orgId}`,
  connectors: (orgId) => sql`connectors where org_id = ${orgId}`,
  oauth_providers: (orgId) => sql`oauth_providers where org_id = ${orgId} and mcp_connection_id is null`,
  mcp_connections: (orgId) => sql`mcp_connections where org_id = ${orgId}`,
  sso_connectors: (orgId) => sql`sso_connectors where org_id = ${orgId}`,
  sso_domains: (orgId) => sql`sso_domains where org_id = ${orgId}`,
  llm_providers: (orgId) => sql`llm_providers where org_id = ${orgId}`,
  llm_provider_keys: (orgId) => sql`llm_provider_keys where org_id = ${orgId}`,
  llm_prices: (orgId) => sql`llm_prices where org_id = ${orgId}`,
  llm_budgets: (orgId) => sql`llm_budgets where org_id = ${orgId}`,
  webhook_endpoints: (orgId) => sql`webhook_endpoints where org_id = ${orgId}`,
};

export const count = async (db: Db, orgId: OrgId, quota: CountQuota): Promise<number> =>
  (await db.row<{ count: number }>(sql`select count(*) as count from ${countedRows[quota](orgId)}`))!.count;

/** Bytes that a row takes in addition to its text, for example in indexes. They also limit the number of small rows. */
export const overhead = {
  event: 50,
  run: 1_000,
  revision: 500,
  lateReport: 300,
  delivery: 1_000,
  version: 500,
  auditEvent: 500,
  telemetryEvent: 400,
  telemetryPoint: 150,
};

/** Measures one organization in one statement, for tables that are small enough. */
type SmallStorage = Exclude<ByteQuota, "automation_storage" | "telemetry_storage">;
const measuredBytes: Record<SmallStorage, (orgId: OrgId) => Sql> = {
  template_storage: (orgId) => sql`
    select sum(octet_length(body) + octet_length(metadata::text) + octet_length(description) + ${overhead.version}::int)
    from template_versions where org_id = ${orgId}`,
  webhook_storage: (orgId) => sql`
    select sum(octet_length(body) + ${overhead.delivery}::int) from webhook_deliveries
    where org_id = ${orgId} or (org_id is null and target_org_id = ${orgId})`,
  audit_storage: (orgId) => sql`
    select sum(coalesce(octet_length(e.before::text), 0) + coalesce(octet_length(e.after::text), 0)
      + ${overhead.auditEvent}::int)
    from audit_events e join audit_chains c on c.scope = e.scope where c.org_id = ${orgId}`,
};

export async function measure(db: Db, orgId: OrgId, quota: ByteQuota): Promise<number> {
  if (quota === "automation_storage") return measureAutomations(db, orgId);
  if (quota === "telemetry_storage") return measureTelemetry(db, orgId);
  return (await db.row<{ bytes: number }>(sql`
    select coalesce((${measuredBytes[quota](orgId)}), 0)::bigint as bytes`))!.bytes;
}

const runsPerStatement = 100;

/** Measures `runsPerStatement` runs per statement. An organization can have many gigabytes of events. */
async function measureAutomations(db: Db, orgId: OrgId): Promise<number> {
  let bytes = (await db.row<{ bytes: number }>(sql`
    select coalesce(sum(octet_length(v.instructions) + ${overhead.revision}::int), 0)::bigint as bytes
    from automations a join automation_revisions v on v.automation_id = a.id where a.org_id = ${orgId}`))!
    .bytes;
  for (let after = ""; ; ) {
    const step = (await db.row<{ bytes: number; runs: number; last: string | null }>(sql`
      with run as (
        select id, no, org_id, events_pruned_at, coalesce(octet_length(result_summary), 0)
          + coalesce(octet_length(error_message), 0) + ${overhead.run}::int as own
        from automation_runs
        where org_id = ${orgId} and id > ${after} order by id limit ${runsPerStatement})
      select count(*)::int as runs, max(id) as last, coalesce(sum(own + coalesce((
          select sum(octet_length(e.events) + (e.last_sequence - e.previous_sequence) * ${overhead.event}::int)
          from automation_events e
          where e.run_no = run.no and e.org_id = run.org_id and run.events_pruned_at is null), 0) + coalesce((
          select sum(octet_length(l.body::text) + ${overhead.lateReport}::int) from automation_late_reports l
          where l.run_id = run.id), 0)), 0)::bigint as bytes
      from run`))!;
    bytes += step.bytes;
    if (step.runs < runsPerStatement || step.last === null) return bytes;
    after = step.last;
  }
}

const eventsPerStatement = 50_000;

/** Measures `eventsPerStatement` events per statement. Points of metrics have the same small size. */
async function measureTelemetry(db: Db, orgId: OrgId): Promise<number> {
  let bytes = (await db.row<{ bytes: number }>(sql`
    select count(*) * ${overhead.telemetryPoint}::int as bytes from telemetry_points where org_id = ${orgId}`))!
    .bytes;
  for (let after = ""; ; ) {
    const step = (await db.row<{ bytes: number; events: number; last: string | null }>(sql`
      select count(*)::int as events, max(e.id) as last,
        coalesce(sum(coalesce(octet_length(e.attributes::text), 0) + ${overhead.telemetryEvent}::int), 0)::bigint as bytes
      from (select id, attributes from telemetry_events where org_id = ${orgId} and id > ${after}
        order by id limit ${eventsPerStatement}) e`))!;
    bytes += step.bytes;
    if (step.events < eventsPerStatement || step.last === null) return bytes;
    after = step.last;
  }
}

export interface StoredUsage {
  used: number;
  measuredAt: number | null;
}

export const listUsed = (db: Db, orgId: OrgId) =>
  db.rows<StoredUsage & { quota: string }>(sql`
    select quota, used, measured_at as "measuredAt" from organization_usage where org_id = ${orgId}`);

/** The usage of an organization and the terms of its limit. */
export const findUsage = (db: Db, orgId: OrgId, quota: ByteQuota) =>
  db.row<LimitSettings & { used: number }>(sql`
    select o.provisional_until is not null as provisional, q.max as override, coalesce(u.used, 0)::bigint as used
    from organizations o
    left join organization_quotas q on q.org_id = o.id and q.quota = ${quota}
    left join organization_usage u on u.org_id = o.id and u.quota = ${quota}
    where o.id = ${orgId}`);

export interface AddedBytes {
  orgId: string;
  quota: ByteQuota;
  bytes: number;
}

/** Adds the bytes that a process wrote, for many organizations at once. Deleted organizations are skipped. */
export const addAcrossOrganizations = (db: Db, added: readonly AddedBytes[]) =>
  db.rows<LimitSettings & { orgId: string; quota: ByteQuota; used: number }>(sql`
    with written as (
      insert into organization_usage as u (org_id, quota, used)
      select g.org_id, g.quota, g.bytes
      from unnest(${added.map(({ orgId }) => orgId)}::text[], ${added.map(({ quota }) => quota)}::text[],
        ${added.map(({ bytes }) => bytes)}::bigint[]) as g(org_id, quota, bytes)
      join organizations o on o.id = g.org_id
      order by g.org_id, g.quota
      on conflict (org_id, quota) do update set used = u.used + excluded.used
      returning u.org_id, u.quota, u.used)
    select w.org_id as "orgId", w.quota, w.used, o.provisional_until is not null as provisional, q.max as override
    from written w join organizations o on o.id = w.org_id
    left join organization_quotas q on q.org_id = w.org_id and q.quota = w.quota`);

/** Stores a measurement. Bytes that were added after `usedBefore` was read stay added. */
export const setMeasured = (db: Db, orgId: OrgId, quota: ByteQuota, bytes: number, usedBefore: number) =>
  db.run(sql`
    insert into organization_usage as u (org_id, quota, used, measured_at)
    select id, ${quota}, ${bytes}::bigint, now() from organizations where id = ${orgId}
    on conflict (org_id, quota) do update
    set used = greatest(0, excluded.used + u.used - ${usedBefore}::bigint), measured_at = now()`);

export interface DefaultLimits {
  quota: ByteQuota;
  /** Null: no limit. */
  limit: number | null;
  provisional: number | null;
}

/** Lists the usage to measure: once a day, and near a limit every ten minutes, because data may have been deleted. */
export const listToMeasureAcrossOrganizations = (db: Db, defaults: readonly DefaultLimits[], limit: number) =>
  db.rows<{ orgId: OrgId; quota: ByteQuota; used: number }>(sql`
    select u.org_id as "orgId", u.quota, u.used from organization_usage u
    join organizations o on o.id = u.org_id
    join unnest(${defaults.map(({ quota }) => quota)}::text[], ${defaults.map((one) => one.limit)}::bigint[],
      ${defaults.map((one) => one.provisional)}::bigint[]) as d(quota, max, provisional) on d.quota = u.quota
    left join organization_quotas q on q.org_id = u.org_id and q.quota = u.quota
    where u.measured_at is null or u.measured_at < now() - interval '24 hours'
      or (u.measured_at < now() - interval '10 minutes' and u.used >= 0.9 * coalesce(q.max,
        case when o.provisional_until is null then d.max else d.provisional end))
    order by u.measured_at nulls first limit ${limit}`);

/** Today's requests with an Idempotency-Key, and the bytes of their stored replies. */
export const findIdempotency = async (db: Db, orgId: OrgId) =>
  (await db.row<{ keys: number; bytes: number }>(sql`
    select keys, bytes from idempotency_usage
    where owner = ${orgId} and day = (now() at time zone 'UTC')::date`)) ?? { keys: 0, bytes: 0 };
