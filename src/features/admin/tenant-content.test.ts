/** Administrators of an instance see no content of an organization: no prompt, payload, name of an object or secret. */
import { expect, test } from "vitest";
import { adminEnv, callAdmin, createAdmin } from "../../../test/admin.ts";
import { useServer } from "../../../test/harness.ts";
import { sql } from "../../platform/db/index.ts";
import { fillDemo } from "../demo/index.ts";
import { rollUpDays } from "./usage/service.ts";

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

test("no reply contains a text that an organization stored", async () => {
  const { organization } = await fillDemo(server.platform);
  const admin = await createAdmin(server);
  const { db } = server.platform;
  const columns = await db.rows<Column>(sql`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c join information_schema.tables t
      on t.table_name = c.table_name and t.table_schema = c.table_schema and t.table_type = 'BASE TABLE'
    where c.table_schema = 'public' and (c.data_type in ('text', 'json', 'jsonb', 'bytea')
      or c.data_type = 'ARRAY' and c.udt_name = '_text')
    order by c.table_name, c.column_name`);
  await db.run(sql`alter table audit_events disable trigger user`);
  const planted: string[] = [];
  for (const one of columns) {
    const name = `${one.table}.${one.column}`;
    if (visible.has(one.table) || visible.has(name) || ["id", "org_id"].includes(one.column)) continue;
    // The log of the instance has names of organizations and addresses of accounts.
    const where = one.table === "audit_events" ? "where scope <> 'instance'" : "";
    try {
      const text = `update "${one.table}" set "${one.column}" = ${plant(one)} ${where} returning 1`;
      const { rows } = await db.transaction((tx) => tx.queryWithDriverTypes(text, []));
      if (rows.length > 0) planted.push(name);
    } catch {
      // A reference or a check: the column has one of a few values, or the id of another row.
    }
  }
  expect(planted).toEqual(
    expect.arrayContaining([
      ...["automation_revisions.name", "automation_revisions.instructions", "automation_events.payload"],
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
  expect(replies.filter((reply) => reply.includes("canary"))).toEqual([]);
});
