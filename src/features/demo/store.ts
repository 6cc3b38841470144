import type { OrgId } from "../../platform/context.ts";
import { type Db, raw, sql } from "../../platform/db/index.ts";

/** The tables that the demo fills. It writes them itself, because the rooms' stores do not accept past times. */
type Table =
  | "accounts"
  | "api_keys"
  | "automation_events"
  | "automation_late_reports"
  | "automation_revisions"
  | "automation_run_attempts"
  | "automation_runners"
  | "automation_runs"
  | "automation_settings"
  | "automation_usage"
  | "automations"
  | "connector_syncs"
  | "connectors"
  | "invitations"
  | "llm_budget_crossings"
  | "llm_budgets"
  | "llm_prices"
  | "llm_provider_grants"
  | "llm_provider_keys"
  | "llm_providers"
  | "llm_spend"
  | "mcp_approvals"
  | "mcp_calls"
  | "mcp_client_grants"
  | "mcp_connection_grants"
  | "mcp_connections"
  | "mcp_credentials"
  | "mcp_discoveries"
  | "mcp_member_states"
  | "mcp_tokens"
  | "mcp_tools"
  | "members"
  | "oauth_client_credentials"
  | "oauth_clients"
  | "oauth_connection_events"
  | "oauth_connections"
  | "oauth_providers"
  | "oauth_tokens"
  | "organization_usage"
  | "organizations"
  | "roles"
  | "team_members"
  | "teams"
  | "telemetry_events"
  | "telemetry_settings"
  | "users"
  | "webhook_deliveries"
  | "webhook_delivery_keys"
  | "worker_activity"
  | "worker_beats"
  | "worker_registration_secrets"
  | "worker_registration_tokens"
  | "worker_rollouts"
  | "worker_runtimes"
  | "worker_states"
  | "worker_tokens"
  | "worker_upgrades"
  | "workers";

/** Tables without a column `org_id`. */
const tablesWithoutOrganization: ReadonlySet<Table> = new Set([
  "accounts",
  "automation_late_reports",
  "automation_revisions",
  "automation_run_attempts",
  "llm_budget_crossings",
  "organizations",
  "users",
  "webhook_delivery_keys",
  "worker_beats",
  "worker_runtimes",
  "worker_states",
]);

export type Row = Record<string, unknown>;
const rowsPerStatement = 500;

/** Inserts rows keyed by column name. Every row needs the columns of the first; other columns get their defaults. */
export async function insertRows(tx: Db, orgId: OrgId, table: Table, rows: readonly Row[]): Promise<void> {
  const own = tablesWithoutOrganization.has(table) ? {} : { org_id: orgId };
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows.slice(from, from + rowsPerStatement).map((row) => ({ ...own, ...row }));
    const columns = raw(Object.keys(some[0]!).join(", "));
    await tx.run(sql`
      insert into ${raw(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(some)}::text::json)`);
  }
}

/** The run numbers, which `automation_events` uses instead of run ids. */
export const listRunNumbers = (tx: Db, orgId: OrgId) =>
  tx.rows<{ id: string; no: number }>(sql`select id, no from automation_runs where org_id = ${orgId}`);

const toTimestamp = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;

/** Sets the times of the templates of a commit to `at`. */
export const setTemplateTimes = async (tx: Db, orgId: OrgId, commit: string, at: number): Promise<void> => {
  await tx.run(sql`
    update template_versions set created_at = ${toTimestamp(at)} where org_id = ${orgId} and commit_sha = ${commit}`);
  await tx.run(sql`
    update templates set updated_at = ${toTimestamp(at)}, created_at = case when version = 1 then ${toTimestamp(at)} else created_at end
    where org_id = ${orgId} and commit_sha = ${commit}`);
};

/** Sets the templates and connection of each revision to those that existed when the revision was made. */
export const setRevisionResources = (
  tx: Db,
  orgId: OrgId,
  automationId: string,
  slugs: readonly string[],
  connectionId: string | null,
) =>
  tx.run(sql`
    update automation_revisions v set
      template_ids = array(select t.id from templates t
        where t.org_id = ${orgId} and t.slug = any(${slugs}::text[]) and t.created_at <= v.created_at),
      connection_ids = array(select c.id from oauth_connections c
        where c.org_id = ${orgId} and c.id = ${connectionId}::text and c.connected_at <= v.created_at)
    from automations a
    where a.id = v.automation_id and a.org_id = ${orgId} and v.automation_id = ${automationId}`);

export interface RevisionResources {
  automationId: string;
  revision: number;
  templateIds: string[];
  connectionIds: string[];
}

export const listRevisionResources = (tx: Db, orgId: OrgId) =>
  tx.rows<RevisionResources>(sql`
    select v.automation_id as "automationId", v.revision, v.template_ids as "templateIds",
      v.connection_ids as "connectionIds"
    from automation_revisions v join automations a on a.id = v.automation_id where a.org_id = ${orgId}`);

/** Sums the events by day, as ingestion does, and notes their names. */
export const sumTelemetry = async (tx: Db, orgId: OrgId): Promise<void> => {
  await tx.run(sql`
    insert into telemetry_sums (org_id, day, type, member_id, model, worker_id, automation_id, is_merged, events, failures,
      input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, priced_events, unpriced_events,
      duration_ms, timed_events, value)
    select org_id, (at at time zone 'UTC')::date, type, coalesce(member_id, ''), coalesce(model, ''),
      coalesce(worker_id, ''), coalesce(automation_id, ''), true, count(*), count(*) filter (where failed),
      coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0),
      coalesce(sum(cache_write_tokens), 0), coalesce(sum(cost_micros), 0), count(cost_micros),
      count(*) filter (where pricing = 'unpriced'), coalesce(sum(duration_ms), 0), count(duration_ms),
      coalesce(sum(value), 0)
    from telemetry_events where org_id = ${orgId} group by 1, 2, 3, 4, 5, 6, 7`);
  await tx.run(sql`
    insert into telemetry_names (org_id, day, kind, name)
    select distinct e.org_id, (e.at at time zone 'UTC')::date, n.kind, n.name from telemetry_events e
    cross join lateral (values ('type', e.type), ('model', e.model), ('tool', e.tool_name)) n (kind, name)
    where e.org_id = ${orgId} and n.name is not null`);
};

export const setSecretTimes = (tx: Db, orgId: OrgId, createdAt: number, lastUsedAt: number) =>
  tx.run(sql`
    update connector_secrets set created_at = ${toTimestamp(createdAt)}, last_used_at = ${toTimestamp(lastUsedAt)}
    where org_id = ${orgId}`);

/** Allows one demo at a time. A second one waits, and then finds that the instance is not empty. */
export const lockInstance = (tx: Db) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('demo', 0))`);

/** The demo adds runs to days that may have been added up already. */
export const reopenUsageDays = (tx: Db) => tx.run(sql`update usage_rollups set completed_at = null`);

/** An outage does not count as unseen. Before the demo there was no worker, so only the time from now on matters. */
export const forgetOutages = (tx: Db) =>
  tx.run(sql`update worker_service set outages = '{}', alive_at = now()`);

export const forgetFirstAccount = (tx: Db) => tx.run(sql`delete from first_account`);

export const isEmpty = async (db: Db): Promise<boolean> =>
  (await db.row(sql`select 1 where exists (select from users) or exists (select from organizations)`)) ===
  undefined;

/**
 * Until the transaction ends, nobody can join this organization, and these people cannot join another. It locks people
 * first, in the same order as the removal of an account.
 */
export const lockMemberships = async (tx: Db, orgId: OrgId, userIds: readonly string[]): Promise<void> => {
  await tx.run(sql`select id from users where id = any(${userIds}::text[]) order by id for update`);
  await tx.run(sql`select id from organizations where id = ${orgId} for update`);
};

/** Up to `limit` members who are not among these people. `total` counts all of them. */
export const listOtherMembers = (db: Db, orgId: OrgId, userIds: readonly string[], limit: number) =>
  db.rows<{ name: string; email: string; total: number }>(sql`
    select u.name, u.email, count(*) over ()::int as total from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id <> all(${userIds}::text[]) order by m.id limit ${limit}`);

/** Those of these people who are members of another organization. */
export const listNeededElsewhere = async (
  db: Db,
  orgId: OrgId,
  userIds: readonly string[],
): Promise<string[]> =>
  (
    await db.rows<{ id: string }>(sql`
      select distinct user_id as id from members where org_id <> ${orgId} and user_id = any(${userIds}::text[])`)
  ).map(({ id }) => id);

export const countRuns = async (db: Db, orgId: OrgId): Promise<number> =>
  (await db.row<{ count: number }>(
    sql`select count(*)::int as count from automation_runs where org_id = ${orgId}`,
  ))!.count;

/**
 * Deletes rows that normally outlive an organization for a while. Tokens that are not yet revoked at the provider stay,
 * with their client credentials: the job that revokes them deletes them.
 */
export const removeRemainingRows = async (tx: Db, orgId: OrgId, emails: readonly string[]): Promise<void> => {
  await tx.run(sql`
    delete from oauth_tokens where org_id = ${orgId} and revoke_state is not null and revoke_state <> 'pending'`);
  await tx.run(sql`
    delete from oauth_client_credentials k
    where k.org_id = ${orgId} and not exists (select from oauth_tokens t where t.credentials_id = k.id)`);
  await tx.run(sql`delete from mcp_calls where org_id = ${orgId}`);
  await tx.run(sql`delete from mcp_call_payloads where org_id = ${orgId}`);
  await tx.run(sql`delete from mails where recipient = any(${emails}::text[])`);
  await tx.run(sql`delete from idempotency_keys where scope like ${`% ${orgId}`}`);
  await tx.run(sql`delete from idempotency_usage where owner = ${orgId} or owner like ${`% ${orgId}`}`);
};
