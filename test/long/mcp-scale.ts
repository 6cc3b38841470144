/**
 * A day of the watch with many connections, and the end of an organization with many calls, on PostgreSQL:
 * `node test/long/mcp-scale.ts [--connections 10000] [--calls 1000000]`. It takes about 15 minutes. It prints times and
 * statements, and fails if a connection is not checked or a call is left.
 */
import { parseArgs } from "node:util";
import { createApp, jobs } from "../../src/app.ts";
import { removeOldCalls } from "../../src/features/mcp-connections/calls/jobs.ts";
import { watchConnections } from "../../src/features/mcp-connections/watch/service.ts";
import { readConfig } from "../../src/platform/config.ts";
import { openPostgres, sql } from "../../src/platform/db/index.ts";
import { listen } from "../../src/platform/http/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { openPlatform } from "../../src/platform/open.ts";
import { startCallableModernServer } from "../fixtures/mcp-servers/callable.ts";
import { countStatements } from "../fixtures/scim/synchronize.ts";
import { seedMcpConnection } from "../mcp-connections.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";

const { values } = parseArgs({
  options: {
    connections: { type: "string", default: "10000" },
    calls: { type: "string", default: "1000000" },
  },
});
/** One organization has nine of ten connections. The others wait for it if the watch is not fair. */
const smallOrganizations = 20;
const connections = Number(values.connections);
const calls = Number(values.calls);

if (!(await isPostgresAvailable())) {
  console.log("!!! No PostgreSQL: set TEST_DATABASE_URL.");
  process.exit(1);
}
const database = await makeDatabase("sbx_scale");
const engine = await openPostgres(database.url, { poolSize: 10, onError: () => {} });
const statements = countStatements(engine);
const socket = await listen("127.0.0.1", 0);
const url = `http://127.0.0.1:${socket.port}`;
const platform = await openPlatform(
  readConfig({ SIGNALBOX_SECRET: "a secret for the tests, long enough", SIGNUP: "open" }),
  { publicUrl: url, jobs, works: true, log: createLog("silent"), engine },
);
const app = createApp(platform, {});
const listening = socket.serve(app);
const { db } = platform;

/** Prints how long `work` takes, and how many statements it sends. */
async function measure<T>(name: string, work: () => Promise<T>): Promise<T> {
  const [before, started] = [statements.count, performance.now()];
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  console.log(`${name}: ${seconds.toFixed(2)} s, ${statements.count - before} statements`);
  return result;
}

async function send(path: string, body: object, token?: string, method = "POST") {
  const reply = await fetch(url + path, {
    method,
    headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return text ? JSON.parse(text) : {};
}

async function createOrganization(name: string) {
  const account = { email: `${name}@example.com`, password: "a password for the long test", name };
  const { token, user } = await send("/api/auth/sign-up/email", account);
  const { organization } = await send("/v1/organizations", { name }, token);
  return {
    token,
    orgId: organization.id as string,
    slug: organization.slug as string,
    owner: { userId: user.id },
  };
}

/** Copies of one connection, which differ in their id and prefix. */
const copyConnection = (id: string, count: number) =>
  db.run(sql`
    insert into mcp_connections
    select (jsonb_populate_record(c, jsonb_build_object('id', c.id || 'x' || n, 'slug', c.slug || '-' || n))).*
    from mcp_connections c, generate_series(1, ${count}::int) n where c.id = ${id}`);

const countDue = async () =>
  (await db.row<{ large: number; small: number }>(sql`
    select count(*) filter (where org_id = ${large.orgId})::int as large,
      count(*) filter (where org_id <> ${large.orgId})::int as small
    from mcp_connections where next_check_at <= now()`))!;

async function watch(): Promise<boolean> {
  const each = Math.floor(connections / 10 / smallOrganizations);
  for (let n = 0; n < smallOrganizations; n++) {
    const { orgId, owner } = await createOrganization(`small-${n}`);
    const { id } = await seedMcpConnection({ platform }, { orgId, owner }, { url: upstream.url });
    await copyConnection(id, each - 1);
  }
  const { id } = await seedMcpConnection({ platform }, large, { url: upstream.url });
  await copyConnection(id, connections - each * smallOrganizations - 1);
  await db.run(sql`
    update mcp_connections set next_check_at = now(), discovered_at = now() - interval '1 day', created_at = now() - interval '2 days'`);
  for (let round = 1; ; round++) {
    const due = await countDue();
    if (due.large + due.small === 0) break;
    upstream.seen.messages.length = 0;
    await measure(
      `round ${round}, due: ${due.large} of the large organization, ${due.small} of ${smallOrganizations} small ones`,
      () => watchConnections(platform),
    );
    const left = await countDue();
    const checked = due.large + due.small - left.large - left.small;
    if (checked === 0) return false;
    console.log(`  ${checked} checked, ${upstream.seen.messages.length} messages to the server`);
  }
  const failing = await db.row<{ count: number }>(
    sql`select count(*)::int as count from mcp_connections where health <> 'ok' or baseline_at is null`,
  );
  console.log(`connections without tools after the watch: ${failing?.count}`);
  return failing?.count === 0;
}

async function removeOrganization(): Promise<boolean> {
  const { token, orgId, slug } = await createOrganization("with-calls");
  await measure(`${calls} calls written`, () =>
    db.withOptions({ work: "unlimited" }).run(sql`
      insert into mcp_calls (org_id, id, connection_id, member_id, credential, credential_id, tool, outcome, ms,
        request_bytes, result_bytes, created_at)
      select ${orgId}, ${newId("mcl").slice(0, -8)} || lpad(n::text, 8, '0'), ${newId("mcn")}, 'mem_1', 'mcp', 'mct_1',
        'tool_' || n % 50, 'ok', 10, 100, 1000, now()
      from generate_series(1, ${calls}::int) n`),
  );
  await measure("the organization is deleted", () =>
    send("/v1/organization", { confirm: slug }, token, "DELETE"),
  );
  const countLeft = async () =>
    (await db.row<{ count: number }>(
      sql`select count(*)::int as count from mcp_calls where org_id = ${orgId}`,
    ))!.count;
  for (let round = 1; (await countLeft()) > 0; round++) {
    const before = await countLeft();
    await measure(`round ${round} of the job, ${before} calls left`, () => removeOldCalls(platform));
    if ((await countLeft()) === before) return false;
  }
  return true;
}

const upstream = await startCallableModernServer();
const large = await createOrganization("large");
const isDeleted = await removeOrganization();
const isWatched = await watch();
await upstream.close();
await listening.close(0);
await app.close();
await platform.close(0);
await database.drop();
process.exit(isDeleted && isWatched ? 0 : 1);
