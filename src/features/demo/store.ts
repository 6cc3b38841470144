import type { OrgId } from "../../platform/context.ts";
import { type Db, raw, sql } from "../../platform/db/index.ts";

/** What the demo fills. History has times of its own, which the rooms' own stores do not take. */
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
  | "automation_spend"
  | "automation_usage"
  | "automations"
  | "connector_syncs"
  | "connectors"
  | "invitations"
  | "mcp_tokens"
  | "members"
  | "oauth_client_credentials"
  | "oauth_clients"
  | "oauth_connection_events"
  | "oauth_connections"
  | "oauth_tokens"
  | "organization_usage"
  | "organizations"
  | "roles"
  | "team_members"
  | "teams"
  | "users"
  | "webhook_deliveries";

/** Tables whose rows name their organization in another way, or have none. */
const withoutOrganization: ReadonlySet<Table> = new Set([
  "accounts",
  "automation_events",
  "automation_late_reports",
  "automation_revisions",
  "automation_run_attempts",
  "organizations",
  "users",
]);

export type Row = Record<string, unknown>;
const rowsAtOnce = 500;

/** Rows by the names of their columns. Times are dates, and columns that are left out have their defaults. */
export async function insertRows(tx: Db, orgId: OrgId, table: Table, rows: readonly Row[]): Promise<void> {
  const own = withoutOrganization.has(table) ? {} : { org_id: orgId };
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce).map((row) => ({ ...own, ...row }));
    const columns = raw(Object.keys(some[0]!).join(", "));
    await tx.run(sql`
      insert into ${raw(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(some)}::text::json)`);
  }
}

/** The numbers that events are stored under. */
export const listRunNumbers = (tx: Db, orgId: OrgId) =>
  tx.rows<{ id: string; no: number }>(sql`select id, no from automation_runs where org_id = ${orgId}`);

const time = (ms: number) => sql`to_timestamp(${ms}::bigint / 1000.0)`;

/** Templates that came with a commit, as if that had been then. */
export const dateTemplates = async (tx: Db, orgId: OrgId, commit: string, at: number): Promise<void> => {
  await tx.run(sql`
    update template_versions set created_at = ${time(at)} where org_id = ${orgId} and commit_sha = ${commit}`);
  await tx.run(sql`
    update templates set updated_at = ${time(at)}, created_at = case when version = 1 then ${time(at)} else created_at end
    where org_id = ${orgId} and commit_sha = ${commit}`);
};

/** Lets the revisions of an automation name what was there when they were made. */
export const nameResources = (
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

export interface NamedResources {
  automationId: string;
  revision: number;
  templateIds: string[];
  connectionIds: string[];
}

export const listNamedResources = (tx: Db, orgId: OrgId) =>
  tx.rows<NamedResources>(sql`
    select v.automation_id as "automationId", v.revision, v.template_ids as "templateIds",
      v.connection_ids as "connectionIds"
    from automation_revisions v join automations a on a.id = v.automation_id where a.org_id = ${orgId}`);

export const dateSecrets = (tx: Db, orgId: OrgId, createdAt: number, lastUsedAt: number) =>
  tx.run(sql`
    update connector_secrets set created_at = ${time(createdAt)}, last_used_at = ${time(lastUsedAt)}
    where org_id = ${orgId}`);

/** One demo at a time: a second one waits, and finds people. */
export const lockInstance = (tx: Db) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended('demo', 0))`);

export const isEmpty = async (db: Db): Promise<boolean> =>
  (await db.row(sql`select 1 where exists (select from users) or exists (select from organizations)`)) ===
  undefined;

/**
 * Until the transaction ends, nobody joins this organization, and these people join none. People first, as the removal of
 * an account does it.
 */
export const lockMemberships = async (tx: Db, orgId: OrgId, userIds: readonly string[]): Promise<void> => {
  await tx.run(sql`select id from users where id = any(${userIds}::text[]) order by id for update`);
  await tx.run(sql`select id from organizations where id = ${orgId} for update`);
};

/** The members that are not among these people, `limit` of them, and how many there are. */
export const listOtherMembers = (db: Db, orgId: OrgId, userIds: readonly string[], limit: number) =>
  db.rows<{ name: string; email: string; total: number }>(sql`
    select u.name, u.email, count(*) over ()::int as total from members m join users u on u.id = m.user_id
    where m.org_id = ${orgId} and m.user_id <> all(${userIds}::text[]) order by m.id limit ${limit}`);

/** Of these people, those who belong to another organization. */
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
 * What outlives an organization for a while. Tokens that a provider has yet to be told about stay, with the client they
 * were got with: the job that tells it removes them.
 */
export const removeRemains = async (tx: Db, orgId: OrgId, emails: readonly string[]): Promise<void> => {
  await tx.run(sql`
    delete from oauth_tokens where org_id = ${orgId} and revoke_state is not null and revoke_state <> 'pending'`);
  await tx.run(sql`
    delete from oauth_client_credentials k
    where k.org_id = ${orgId} and not exists (select from oauth_tokens t where t.credentials_id = k.id)`);
  await tx.run(sql`delete from mails where recipient = any(${emails}::text[])`);
  await tx.run(sql`delete from idempotency_keys where scope like ${`% ${orgId}`}`);
  await tx.run(sql`delete from idempotency_usage where owner = ${orgId} or owner like ${`% ${orgId}`}`);
};
