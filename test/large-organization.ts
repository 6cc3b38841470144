/** An organization with a long history, written by SQL. Nothing in it failed, was skipped or was refused. */
import { type Sql, sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import { createAutomation } from "./automations.ts";
import { createConnector, createTemplate } from "./connectors.ts";
import { createWorkspace, type TestServer, type Workspace } from "./harness.ts";
import { seedMcpConnection } from "./mcp-connections.ts";

export interface LargeOrganization extends Workspace {
  automationId: string;
  connectorId: string;
  connectionId: string;
  endpointId: string;
  llmProviderId: string;
  mcpConnectionId: string;
  memberId: string;
  runId: string;
  teamId: string;
  templateId: string;
}

const createIds = (prefix: string, count: number) => Array.from({ length: count }, () => newId(prefix));

const oneEvent = '[{"type":"user","createdAt":0,"payload":{}}]';

/** One statement for this many rows, so that a million rows exceed no time limit. A multiple of ten. */
const step = 50_000;

export async function createLargeOrganization(
  server: TestServer,
  { many, some }: { many: number; some: number },
): Promise<LargeOrganization> {
  const { db } = server.platform;
  const writeInSteps = async (
    ids: readonly string[],
    write: (ids: readonly string[], from: number) => Sql,
  ) => {
    for (let from = 0; from < ids.length; from += step)
      await db.run(write(ids.slice(from, from + step), from));
  };
  const workspace = await createWorkspace(server);
  const { orgId, owner } = workspace;
  const { id: memberId } = (await db.row<{ id: string }>(
    sql`select id from members where org_id = ${orgId}`,
  ))!;
  const automation = await createAutomation(server, owner.auth);
  const automationId: string = automation.id;
  const { id: connectorId } = await createConnector(server, owner.auth);
  const templateId: string = (await createTemplate(server, owner.auth)).id;

  // One row in ten belongs to another automation, member or user.
  const otherAutomation = newId("aut");
  const otherMember = newId("mem");
  const otherUser = newId("usr");
  await db.run(sql`
    insert into automations (id, org_id, status, revision) values (${otherAutomation}, ${orgId}, 'inactive', 1)`);
  await db.run(sql`
    insert into automation_revisions (automation_id, revision, name, instructions, schedule, max_runtime_seconds, created_by)
    values (${otherAutomation}, 1, 'a', 'b', '{"kind":"manual"}'::jsonb, 60, ${otherMember})`);
  const runs = createIds("run", many);
  await writeInSteps(
    runs,
    (ids) => sql`
    insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, finished_at)
    select id, ${orgId}, case when n % 10 = 0 then ${otherAutomation} else ${automationId} end, 1,
      case when n % 10 = 0 then ${otherMember} else ${memberId} end, 'manual', 'succeeded', now()
    from unnest(${ids}::text[]) with ordinality t (id, n)`,
  );
  await writeInSteps(
    runs,
    (ids) => sql`
    insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, model,
      input_tokens, output_tokens, cost_micros, state, reported, reported_at)
    select id, 1, -1, ${orgId}, ${automationId}, ${memberId}, 'm', 1, 1, 1,
      case when n % 2 = 0 then 'counted' else 'held' end, '{"inputTokens":1,"outputTokens":1,"costMicros":1}',
      now() - n * interval '1 millisecond'
    from unnest(${ids}::text[]) with ordinality t (id, n)`,
  );
  await writeInSteps(
    createIds("syn", many),
    (ids) => sql`
    insert into connector_syncs (id, org_id, connector_id, cause, status, finished_at)
    select id, ${orgId}, ${connectorId}, 'push', 'succeeded', now() from unnest(${ids}::text[]) id`,
  );
  await writeInSteps(
    createIds("whd", many),
    (ids) => sql`
    insert into webhook_deliveries (id, scope, delivery_id, org_id, dialect, event, outcome, headers, body,
      body_digest, target_connector_id, target_org_id)
    select id, ${connectorId}, id, ${orgId}, 'github', 'push', 'accepted', '{}', '', '', ${connectorId}, ${orgId}
    from unnest(${ids}::text[]) id`,
  );
  await writeInSteps(
    createIds("aud", many),
    (ids, from) => sql`
    insert into audit_events (scope, seq, id, at, action, actor_user_id, actor_member_id, credential, target_type,
      target_id, previous, hash)
    select ${orgId}, 1000 + ${from}::bigint + n, id, now(), case when n % 10 = 0 then 'run.started' else 'automation.changed' end,
      case when n % 10 = 0 then ${otherUser} else ${owner.userId} end,
      case when n % 10 = 0 then ${otherMember} else ${memberId} end, 'session', 'automation',
      case when n % 10 = 0 then ${otherAutomation} else ${automationId} end, '', ''
    from unnest(${ids}::text[]) with ordinality t (id, n)`,
  );
  await db.run(sql`update audit_chains set seq = 1000 + ${many}::bigint where scope = ${orgId}`);

  await writeInSteps(
    createIds("tev", many),
    (ids) => sql`
    insert into telemetry_events (org_id, id, signal, event_id, digest, at, type, source, mapping_version, member_id,
      run_id, pricing, counts_usage, failed)
    select ${orgId}, id, 'event', id, '', now(), case when n % 10 = 0 then 'rare' else 'common' end, 'other', 1,
      case when n % 10 = 0 then ${otherMember} else ${memberId} end,
      case when n % 10 = 0 then ${runs[0]} end, 'none', true, false
    from unnest(${ids}::text[]) with ordinality t (id, n)`,
  );
  const { id: mcpConnectionId } = await seedMcpConnection(server, { orgId, owner });
  await writeInSteps(
    createIds("mcl", many),
    (ids) => sql`
    insert into mcp_calls (org_id, id, connection_id, member_id, credential, credential_id, tool, outcome, ms,
      request_bytes, result_bytes, run_id, created_at)
    select ${orgId}, id, ${mcpConnectionId}, case when n % 10 = 0 then ${otherMember} else ${memberId} end, 'mcp', 'x',
      case when n % 10 = 0 then 'rare' else 'common' end, case when n % 10 = 0 then 'failed' else 'ok' end, 1, 1, 1,
      case when n % 10 = 0 then ${runs[0]} end, now()
    from unnest(${ids}::text[]) with ordinality t (id, n)`,
  );
  await db.run(sql`
    insert into invitations (id, org_id, email, role, token_hash, mail_hash, inviter_name, expires_at, accepted_at)
    select id, ${orgId}, id, 'member', id, id, 'Ada', now(), now() from unnest(${createIds("inv", some)}::text[]) id`);
  // Some counts read all members of an organization.
  const users = createIds("usr", 2_000);
  await db.run(sql`
    insert into users (id, email, name) select id, id || '@example.com', 'Somebody' from unnest(${users}::text[]) id`);
  const members = createIds("mem", 2_000);
  await db.run(sql`
    insert into members (id, org_id, user_id, role)
    select m, ${orgId}, u, 'member' from unnest(${members}::text[], ${users}::text[]) t (m, u)`);
  // The planner scans a whole table when one organization owns most of it, so others have members too.
  const others = users.slice(0, 500);
  for (const id of createIds("org", 40)) {
    await db.run(sql`insert into organizations (id, name, slug) values (${id}, 'Other', ${id})`);
    await db.run(sql`
      insert into members (id, org_id, user_id, role)
      select m, ${id}, u, 'member'
      from unnest(${createIds("mem", others.length)}::text[], ${others}::text[]) t (m, u)`);
  }
  const teamId = newId("team");
  await db.run(sql`insert into teams (id, org_id, name) values (${teamId}, ${orgId}, 'All')`);
  await db.run(sql`
    insert into team_members (team_id, member_id, org_id)
    select ${teamId}, id, ${orgId} from unnest(${members}::text[]) id`);
  await db.run(sql`
    insert into api_keys (id, org_id, member_id, name, start, key_hash)
    select id, ${orgId}, ${members[0]}, 'key', 'sbx_', id from unnest(${createIds("key", some)}::text[]) id`);
  await db.run(sql`
    insert into mcp_tokens (id, org_id, member_id, name, start, token_hash, scopes, expires_at)
    select id, ${orgId}, ${members[0]}, 'token', 'sbm_', id, '{}', now() + interval '1 day'
    from unnest(${createIds("mcp", some)}::text[]) id`);
  await db.run(sql`
    insert into mcp_client_grants
      (id, org_id, member_id, client_id, client_name, registration, redirect_host, scopes, expires_at)
    select id, ${orgId}, ${members[0]}, 'mcr_test', 'client', 'dynamic', '127.0.0.1', '{}', now() + interval '1 day'
    from unnest(${createIds("mcg", some)}::text[]) id`);
  await db.run(sql`
    insert into sessions (id, user_id, token_hash, expires_at)
    select id, ${owner.userId}, id, now() + interval '1 day' from unnest(${createIds("ses", some)}::text[]) id`);
  await db.run(sql`
    insert into automation_runners (id, org_id, member_id, name)
    select id, ${orgId}, ${members[0]}, id from unnest(${createIds("rnr", some)}::text[]) id`);

  const automations = createIds("aut", some);
  await db.run(sql`
    insert into automations (id, org_id, member_id, status, revision)
    select id, ${orgId}, ${memberId}, 'active', 1 from unnest(${automations}::text[]) id`);
  await db.run(sql`
    insert into automation_revisions (automation_id, revision, name, instructions, schedule, max_runtime_seconds, created_by)
    select id, 1, 'a', 'b', '{"kind":"daily","hour":9,"minute":0,"timezone":"UTC"}'::jsonb, 60, ${memberId}
    from unnest(${automations}::text[]) id
    union all
    select ${automationId}, n, 'a', 'b', '{"kind":"daily","hour":9,"minute":0,"timezone":"UTC"}'::jsonb, 60, ${memberId}
    from generate_series(2, ${some}::int) n`);
  await db.run(sql`
    insert into templates (id, org_id, slug, name, body, version, digest)
    select id, ${orgId}, id, 'Review', 'b', 1, id from unnest(${createIds("tpl", some)}::text[]) id`);
  await db.run(sql`
    insert into template_versions (template_id, version, org_id, slug, name, description, tags, body, metadata)
    select ${templateId}, n, ${orgId}, 's', 'n', '', '{}', 'b', '{}' from generate_series(2, ${some}::int) n`);

  const runId = runs[0]!;
  await db.run(sql`
    insert into automation_late_reports (id, run_id, attempt, sequence, kind, reporter, body, digest)
    select id, case when n % 2 = 0 then ${runId} else (${runs.slice(0, some)}::text[])[1 + n % ${some}::int] end, 1, 1, 'event', ${memberId}, '{}', id
    from unnest(${createIds("late", 2 * some)}::text[]) with ordinality t (id, n)`);
  await db.run(sql`
    insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
    select no, org_id, 1, n - 1, n, false, ${oneEvent} from automation_runs, generate_series(1, ${some}::int) n where id = ${runId}`);
  await writeInSteps(
    runs.slice(1, 1 + many / 1000),
    (ids) => sql`
    insert into automation_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
    select no, org_id, 1, n - 1, n, false, ${oneEvent} from automation_runs, generate_series(1, 1000) n where id = any(${ids}::text[])`,
  );

  const credentials = newId("occ");
  const token = newId("otk");
  await db.run(sql`
    insert into oauth_client_credentials (id, org_id, provider_id, client_id, auth_method)
    values (${credentials}, ${orgId}, 'github', 'client', 'none')`);
  await db.run(sql`
    insert into oauth_tokens (id, org_id, credentials_id, scopes) values (${token}, ${orgId}, ${credentials}, '{}')`);
  // With one provider only, the planner would scan the whole table for the accounts of any provider.
  const connections = createIds("ocn", some);
  await db.run(sql`
    insert into oauth_connections (id, org_id, provider_id, shared, member_id, label, token_id, requested_scopes, connected_by)
    select id, ${orgId}, case when n % 2 = 0 then 'github' else 'provider-' || n % 200 end, false,
      (${members}::text[])[1 + n % 2000], id, ${token}, '{}', ${memberId}
    from unnest(${connections}::text[]) with ordinality t (id, n)`);
  await db.run(sql`
    insert into oauth_connection_events (id, org_id, provider_id, connection_id, type)
    select id, ${orgId}, 'github', ${connections[0]}, 'connected' from unnest(${createIds("oce", some)}::text[]) id`);

  const endpoints = createIds("whe", some);
  await db.run(sql`
    insert into webhook_endpoints (id, org_id, url, secret, created_by)
    select id, ${orgId}, 'https://example.com/', '', ${memberId} from unnest(${endpoints}::text[]) id`);
  await writeInSteps(
    createIds("wed", many),
    (ids) => sql`
    insert into webhook_endpoint_deliveries (id, org_id, endpoint_id, event_id, type, body, status, finished_at)
    select id, ${orgId}, case when n % 10 = 0 then ${endpoints[1]} else ${endpoints[0]} end, 'evt_' || substr(id, 5), 'run.failed', '{}',
      'succeeded', now()
    from unnest(${ids}::text[]) with ordinality t (id, n)`,
  );

  const providers = createIds("llp", 200);
  await db.run(sql`
    insert into llm_providers (id, org_id, kind, name, base_url, created_by)
    select id, ${orgId}, 'openai', id, 'https://api.openai.com/v1', ${memberId} from unnest(${providers}::text[]) id`);
  await db.run(sql`
    insert into llm_provider_keys (id, org_id, provider_id, name, secret, tail, created_by)
    select id, ${orgId}, case when n <= 400 then ${providers[0]} else (${providers}::text[])[1 + n % 200] end, 'Key', '',
      '', ${memberId}
    from unnest(${createIds("llk", 1000)}::text[]) with ordinality t (id, n)`);
  await db.run(sql`
    insert into llm_prices (id, org_id, provider, model, valid_from, rates, created_by)
    select id, ${orgId}, 'openai', id, now(), '{"input":1}', ${memberId} from unnest(${createIds("lpr", 1000)}::text[]) id`);
  await db.run(sql`
    insert into llm_budgets (id, org_id, subject_kind, member_id, period, mode, limit_micros, warning_percent)
    select id, ${orgId}, 'member', (${members}::text[])[n], 'month', 'alert', 1000000, 80
    from unnest(${createIds("lbg", 1500)}::text[]) with ordinality t (id, n)`);
  await db.queryWithDriverTypes("analyze");
  return {
    ...workspace,
    automationId,
    connectorId,
    connectionId: connections[0]!,
    endpointId: endpoints[0]!,
    llmProviderId: providers[0]!,
    mcpConnectionId,
    memberId,
    runId,
    teamId,
    templateId,
  };
}
