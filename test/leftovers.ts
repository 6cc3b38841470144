/** An organization with rows in the tables that grow with time, written by SQL. */
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import { createConnector } from "./connectors.ts";
import { createWorkspace, type TestServer, type Workspace } from "./harness.ts";

export interface GrownOrganization extends Workspace {
  connectorId: string;
  /** Receives a tenth of the deliveries, together with the first one. */
  otherConnectorId: string;
}

/** Rows for one statement, so that a large organization exceeds no time limit. */
const step = 20_000;

/** Writes `count` rows into each table. */
export async function createGrownOrganization(server: TestServer, count: number): Promise<GrownOrganization> {
  const { db } = server.platform;
  const workspace = await createWorkspace(server);
  const { orgId, owner } = workspace;
  const { id: connectorId } = await createConnector(server, owner.auth);
  const { id: otherConnectorId } = await createConnector(server, owner.auth);
  const credentials = newId("occ");
  const token = newId("otk");
  const connectionIds = [newId("ocn"), newId("ocn")];
  await db.run(sql`
    insert into oauth_client_credentials (id, org_id, provider_id, client_id, auth_method)
    values (${credentials}, ${orgId}, 'github', 'client', 'none')`);
  await db.run(sql`
    insert into oauth_tokens (id, org_id, credentials_id, scopes) values (${token}, ${orgId}, ${credentials}, '{}')`);
  await db.run(sql`
    insert into oauth_connections (id, org_id, provider_id, shared, label, token_id, requested_scopes, connected_by)
    select id, ${orgId}, 'github', true, id, ${token}, '{}', '' from unnest(${connectionIds}::text[]) id`);
  const { sequence } = (await db.row<{ sequence: number }>(
    sql`select seq as sequence from audit_chains where scope = ${orgId}`,
  ))!;
  for (let from = 0; from < count; from += step) {
    const size = Math.min(step, count - from);
    const createIds = (prefix: string) => Array.from({ length: size }, () => newId(prefix));
    const deliveries = createIds("whd");
    await db.run(sql`
      insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, outcome, headers, body,
        body_digest, target_connector_id, target_org_id)
      select id, ${connectorId}, id, ${orgId}, 'github', 'push', 'accepted', '{}', '', '',
        case when n % 10 > 0 then ${connectorId} end, case when n % 10 > 0 then ${orgId} end
      from unnest(${deliveries}::text[]) with ordinality t (id, n)`);
    await db.run(sql`
      insert into webhook_delivery_keys (scope, delivery_id, id)
      select ${connectorId}, id, id from unnest(${deliveries}::text[]) id`);
    await db.run(sql`
      insert into webhook_delivery_targets (delivery, connector_id, org_id)
      select id, c, ${orgId} from unnest(${deliveries}::text[]) with ordinality t (id, n),
        unnest(${[connectorId, otherConnectorId]}::text[]) c where n % 10 = 0`);
    await db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, cause, status, finished_at)
      select id, ${orgId}, ${connectorId}, 'push', 'succeeded', now() from unnest(${createIds("syn")}::text[]) id`);
    await db.run(sql`
      insert into audit_events (scope, seq, id, at, action, credential, target_type, previous, hash)
      select ${orgId}, ${sequence + from}::bigint + n, id, now(), 'automation.changed', 'session', 'automation', '', ''
      from unnest(${createIds("aud")}::text[]) with ordinality t (id, n)`);
    await db.run(sql`
      insert into oauth_connection_events (id, org_id, provider_id, connection_id, type)
      select id, ${orgId}, 'github', case when n % 10 > 0 then (${connectionIds}::text[])[1 + n % 2] end, 'token_issued'
      from unnest(${createIds("oce")}::text[]) with ordinality t (id, n)`);
    await db.run(sql`
      insert into telemetry_points (org_id, series, started_nanos, nanos, value)
      select ${orgId}, '\\xaa', 1, ${from}::int + n, 1 from generate_series(1, ${size}::int) n`);
    await db.run(sql`
      insert into telemetry_names (org_id, day, kind, name)
      select ${orgId}, '2026-11-01', 'model', 'n' || ${from}::int + n from generate_series(1, ${size}::int) n`);
    await db.run(sql`
      insert into llm_spend (org_id, subject_id, day, cost_micros)
      select ${orgId}, 's' || ${from}::int + n, '2026-11-01', 1 from generate_series(1, ${size}::int) n`);
    await db.run(sql`
      insert into automation_figures (org_id, subject_id, day, runs, costs, durations, hourly_durations)
      select ${orgId}, 's' || ${from}::int + n, '2026-11-01', '{}', '{}', '{}', '{}' from generate_series(1, ${size}::int) n`);
    await db.run(sql`
      insert into automation_usage_days (org_id, day, automation_id, member_id, model, runs, reports, unpriced_reports,
        input_tokens, output_tokens, cost_micros)
      select ${orgId}, '2026-11-01', 'a' || ${from}::int + n, '', '', 1, 1, 0, 0, 0, 0 from generate_series(1, ${size}::int) n`);
    await db.run(sql`
      insert into automation_usage_repeated_runs (org_id, run_id, day, model, automation_id, member_id)
      select ${orgId}, 'r' || ${from}::int + n, '2026-11-01', '', '', '' from generate_series(1, ${size}::int) n`);
  }
  await db.run(sql`update audit_chains set seq = seq + ${count}::bigint where scope = ${orgId}`);
  return { ...workspace, connectorId, otherConnectorId };
}
