/** Administrators of an instance see no content of an organization: no prompt, payload, name of an object or secret. */
import { expect, test } from "vitest";
import { adminEnv, callAdmin, createAdmin } from "../../../test/admin.ts";
import { type TestServer, useServer } from "../../../test/harness.ts";
import { sql } from "../../platform/db/index.ts";
import { rollUpDays } from "../automations/index.ts";
import { fillDemo } from "../demo/index.ts";

const server = useServer({ env: adminEnv });

/** Tables that belong to no organization, and columns that administrators may see. */
const visible = new Set([
  ...["users", "sessions", "accounts", "two_factors", "passkeys", "verifications"],
  ...["schema_migrations", "rate_limits", "audit_chains", "first_account", "usage_days"],
  // The names of quotas are the product's own.
  ...["organization_quotas", "organization_usage"],
  // Administrators write the reason themselves.
  ...["organizations.name", "organizations.slug", "organizations.suspended_reason"],
]);

interface Column {
  table: string;
  column: string;
  type: string;
}

/** The text that a column gets, different for each row. */
function plant({ table, column, type }: Column): string {
  const text = `'canary ${table}.${column} ' || ctid::text`;
  if (type === "ARRAY") return `array[${text}]`;
  if (type === "json" || type === "jsonb") return `to_${type}(array[${text}])`;
  if (type === "bytea") return `convert_to(${text}, 'UTF8')`;
  return text;
}

/** Adds a row to the tables of single sign-on and directories, which the demo leaves empty. */
async function addSignInRows({ db }: TestServer["platform"], orgId: string): Promise<void> {
  const { userId, memberId } = (await db.row<{ userId: string; memberId: string }>(
    sql`select user_id as "userId", id as "memberId" from members where org_id = ${orgId} limit 1`,
  ))!;
  await db.run(sql`
    insert into sso_connectors (id, org_id, kind, name, settings, client_secret, earlier_client_secret, last_error)
    values ('sso_1', ${orgId}, 'oidc', 'a', '{}', 'a', 'a', 'a'), ('sso_2', ${orgId}, 'saml', 'b', '{}', 'b', 'b', 'b')`);
  await db.run(sql`
    insert into sso_domains (id, org_id, domain, challenge) values ('ssd_1', ${orgId}, 'a.example', 'a')`);
  await db.run(sql`
    insert into sso_attempts (id, org_id, connector_id, purpose, state_hash, secrets, expires_at)
    values ('ssa_1', ${orgId}, 'sso_1', 'sign_in', 'a', 'a', now() + interval '1 hour')`);
  await db.run(sql`
    insert into sso_events (id, org_id, connector_id, purpose, outcome, code, message, subject, email)
    values ('sse_1', ${orgId}, 'sso_1', 'sign_in', 'refused', 'a', 'a', 'a', 'a')`);
  await db.run(sql`
    insert into sso_identities (id, connector_id, org_id, subject, user_id, email)
    values ('ssi_1', 'sso_1', ${orgId}, 'a', ${userId}, 'a')`);
  await db.run(sql`
    insert into sso_saml_metadata (connector_id, org_id, url, failure, pending)
    values ('sso_2', ${orgId}, 'a', 'a', '{}')`);
  await db.run(sql`
    insert into sso_used_assertions (connector_id, assertion_id, org_id, expires_at)
    values ('sso_2', 'a', ${orgId}, now() + interval '1 hour')`);
  await db.run(sql`
    insert into sso_certificate_notices (connector_id, org_id, fingerprint, days) values ('sso_2', ${orgId}, 'a', 7)`);
  await db.run(sql`
    insert into scim_connectors (id, org_id, name, default_role, last_error)
    values ('scm_1', ${orgId}, 'a', 'member', 'a')`);
  await db.run(sql`
    insert into scim_tokens (id, connector_id, org_id, start, token_hash)
    values ('sct_1', 'scm_1', ${orgId}, 'a', 'a')`);
  await db.run(sql`
    insert into scim_users (id, org_id, connector_id, user_name, user_name_key, active, member_id, resource, search)
    values ('scu_1', ${orgId}, 'scm_1', 'a', 'a', true, ${memberId}, '{}', '{"emails": [{"value": "a@a.example"}]}')`);
  await db.run(sql`
    insert into scim_groups (id, org_id, connector_id, display_name, display_name_key, resource, search)
    values ('scg_1', ${orgId}, 'scm_1', 'a', 'a', '{}', '{}')`);
  await db.run(sql`
    insert into scim_calls (id, org_id, connector_id, method, path, status, error, duration_ms, request_id, called_at)
    values ('scl_1', ${orgId}, 'scm_1', 'GET', '/a', 400, 'a', 1, 'a', now())`);
}

// It writes every column of every table, so it takes long on a crowded machine.
test("no reply contains a text that an organization stored", { timeout: 180_000 }, async () => {
  const { organization } = await fillDemo(server.platform);
  const admin = await createAdmin(server);
  const { db } = server.platform;
  await addSignInRows(server.platform, organization.id);
  const columns = await db.rows<Column>(sql`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t
      on t.table_name = c.table_name and t.table_schema = c.table_schema and t.table_type = 'BASE TABLE'
    where c.table_schema = 'public' and (c.data_type in ('text', 'json', 'jsonb', 'bytea')
      or c.data_type = 'ARRAY' and c.udt_name = '_text')
    order by c.table_name, c.column_name`);
  await db.run(sql`alter table audit_events disable trigger user`);
  const planted: string[] = [];
  const plantIn = async (table: string, some: readonly Column[]): Promise<boolean> => {
    // The log of the instance has names of organizations and addresses of accounts.
    const where = table === "audit_events" ? "where scope <> 'instance'" : "";
    const values = some.map((one) => `"${one.column}" = ${plant(one)}`).join(", ");
    try {
      const text = `update "${table}" set ${values} ${where} returning 1`;
      const { rows } = await db.transaction((tx) => tx.queryWithDriverTypes(text, []));
      if (rows.length > 0) planted.push(...some.map(({ column }) => `${table}.${column}`));
      return true;
    } catch {
      // A reference or a check: a column has one of a few values, or the id of another row.
      return false;
    }
  };
  const plantable = columns.filter(
    ({ table, column }) =>
      !visible.has(table) && !visible.has(`${table}.${column}`) && !["id", "org_id"].includes(column),
  );
  for (const [table, some] of Map.groupBy(plantable, (one) => one.table))
    if (!(await plantIn(table, some))) for (const one of some) await plantIn(table, [one]);
  expect(planted).toEqual(
    expect.arrayContaining([
      ...["automation_revisions.name", "automation_revisions.instructions", "automation_events.events"],
      ...["automation_runs.error_message", "automation_runs.result_summary", "automation_runs.reason_detail"],
      ...["automation_runners.name", "automation_usage.model", "automation_late_reports.body"],
      ...[
        "templates.body",
        "templates.name",
        "template_versions.body",
        "connectors.name",
        "connectors.repository",
      ],
      ...["webhook_deliveries.body", "api_keys.name", "teams.name", "roles.name", "invitations.email"],
      ...["oauth_tokens.access_token", "oauth_connections.account_name", "audit_events.after", "mails.text"],
      ...["organizations.allowed_email_domains", "connector_secrets.secret"],
      ...["workers.name", "workers.labels", "workers.pause_note", "worker_activity.detail"],
      ...["worker_runtimes.version", "worker_runtimes.services", "worker_upgrades.reason"],
      ...["worker_tokens.token_hash", "worker_registration_tokens.name", "worker_registration_secrets.start"],
      ...[
        "llm_providers.name",
        "llm_providers.base_url",
        "llm_provider_keys.secret",
        "llm_provider_keys.tail",
      ],
      ...["llm_provider_keys.last_message", "llm_provider_grants.models", "llm_prices.note"],
      ...["telemetry_events.model", "telemetry_events.tool_name", "telemetry_sums.model"],
      ...["sso_connectors.name", "sso_connectors.settings", "sso_connectors.client_secret"],
      ...["sso_domains.domain", "sso_attempts.secrets", "sso_events.message", "sso_events.email"],
      ...["sso_identities.subject", "sso_identities.email", "sso_saml_metadata.pending"],
      ...[
        "scim_connectors.name",
        "scim_connectors.last_error",
        "scim_tokens.token_hash",
        "scim_users.user_name",
      ],
      ...["scim_users.resource", "scim_user_emails.email_key", "scim_groups.display_name", "scim_calls.path"],
    ]),
  );
  // Waiting jobs carry data of organizations.
  await db.queryWithDriverTypes(
    `insert into pgboss.job (name, data) values ('mail.deliver', '{"text": "canary job"}')`,
    [],
  );
  await rollUpDays(server.platform, Date.now() + 30_000);

  const { id } = organization;
  const replies: string[] = [];
  const ask = async (path: string, body?: object, method?: string) => {
    const reply = await callAdmin(server, admin, path, body, method);
    expect(reply.status, path).toBe(200);
    replies.push(`${path} ${JSON.stringify(reply.body)} ${JSON.stringify([...reply.headers])}`);
  };
  await ask("overview?days=400");
  for (const sort of ["newest", "email"]) await ask(`users?limit=100&sort=${sort}`);
  await ask("organizations?limit=100&days=400");
  await ask(`organizations/${id}?days=400`);
  for (const interval of ["day", "week", "month"])
    for (const more of ["", "&groupBy=organization"])
      await ask(`usage?limit=100&interval=${interval}${more}`);
  await ask(`organizations/${id}/limits`, { limits: { teams: 10 } }, "PUT");
  await ask(`organizations/${id}/suspend`, { reason: "A reason" });
  await ask(`organizations/${id}/restore`, undefined, "POST");
  const member = await db.row<{ userId: string }>(sql`select user_id as "userId" from members limit 1`);
  await ask(`users/${member!.userId}/sign-out`, undefined, "POST");
  await ask("audit-events?limit=100");
  const { items } = (await callAdmin(server, admin, "audit-events?limit=1")).body;
  await ask(`audit-events/${items[0].id}`);
  expect(replies.filter((reply) => reply.includes("canary"))).toEqual([]);
});
