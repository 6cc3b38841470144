/** Every list with every filter: each statement reads a bounded number of rows, whatever the filter matches. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { scanBudget, scanStep, sql } from "../../src/platform/db/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { makeAdmin } from "../admin.ts";
import { seedDiscovery } from "../discoveries.ts";
import { useServer } from "../harness.ts";
import { createLargeOrganization, type LargeOrganization } from "../large-organization.ts";
import {
  countRowsRead,
  explainStatement,
  listScannedTables,
  type PlanNode,
  recordStatements,
} from "../plans.ts";
import { seedConnector } from "../sso.ts";
import { createWorker } from "../workers.ts";

const server = useServer();

/** A step examines candidates, reads at most two more rows for each of them, and reads a page. */
const maxRowsOfStatement = 3 * scanStep + 1_000;
const maxRowsOfRequest = 3 * scanBudget + 2_000;
/** An index finds the rows of a single filter: a first step of candidates, and a page. */
const maxRowsOfFilter = 1_500;
/** Smaller tables may be read from start to end. */
const minRowsForIndex = 10_000;

/** Set by `test/long/list-filters.ts`: the rows of each large table. Reading all of them would take too long then. */
const listRows = process.env.TEST_LIST_ROWS;

const hour = 3_600_000;
let crowd: LargeOrganization;
let ssoConnectorId: string;
let workerId: string;
let discoveryId: string;
let tableRows: Map<string, number>;
beforeAll(async () => {
  // A statement that reads every row exceeds the limit of a statement; on PostgreSQL, a request that examines every row
  // also exceeds the limit of a request. More rows only take longer.
  const some = maxRowsOfStatement + 500;
  const many =
    inject("engine") === "pglite" ? maxRowsOfStatement + 2_000 : Number(listRows ?? scanBudget + 2_000);
  crowd = await createLargeOrganization(server, { many, some });
  ssoConnectorId = (await seedConnector(server, crowd.owner)).id;
  await makeAdmin(server, crowd.owner);
  discoveryId = await seedDiscovery(server, crowd.orgId);
  workerId = (await createWorker(server, crowd.owner.auth, { labels: ["linux"] })).id;
  const sizes = await server.platform.db.rows<{ name: string; rows: number }>(
    sql`select relname::text as name, reltuples::float8 as rows from pg_class where relkind = 'r'`,
  );
  tableRows = new Map(sizes.map(({ name, rows }) => [name, rows]));
}, 1_800_000);

interface Parameter {
  name: string;
  in: string;
  schema: { enum?: string[]; items?: { enum?: string[] } };
}

const { paths } = JSON.parse(readFileSync("openapi.json", "utf8")) as {
  paths: Record<string, { get?: { parameters?: Parameter[] } }>;
};

/** Values for filters without an enum: common values, and values that match nothing. */
const samples: Record<string, () => (string | number)[]> = {
  action: () => ["automation.changed", "automation", "member.removed", "member"],
  actorId: () => [crowd.memberId, crowd.owner.userId, newId("mem"), newId("usr")],
  automationId: () => [crowd.automationId, newId("aut")],
  days: () => [1, 400],
  email: () => ["somebody", "nobody at all"],
  connectionId: () => [crowd.mcpConnectionId, newId("mcn")],
  connectorId: () => [crowd.connectorId, newId("con")],
  event: () => ["push", "nothing"],
  from: () => [Date.now() - hour, Date.now() + hour],
  fromAt: () => [Date.now() - hour, Date.now() + hour],
  groupBy: () => ["day", "team", "day,type,member,model,worker,automation"],
  label: () => ["linux", "nothing"],
  memberId: () => [crowd.memberId, newId("mem")],
  providerId: () => ["github", "gitlab"],
  q: () => ["review", "nothing at all"],
  role: () => ["member", "admin", newId("role")],
  runId: () => [crowd.runId, newId("run")],
  search: () => ["somebody", "nobody at all"],
  status: () => ["succeeded", "failed", "queued", "failed,cancelled,skipped"],
  slug: () => ["nothing"],
  tag: () => ["nothing"],
  tool: () => ["common", "nothing"],
  type: () => ["common", "nothing"],
  targetId: () => [crowd.automationId, newId("aut")],
  targetType: () => ["automation", "member"],
  teamId: () => [crowd.teamId, newId("team")],
  to: () => [Date.now() - 60_000, Date.now() - hour, Date.now() + hour],
  toAt: () => [Date.now() - 60_000, Date.now() - hour, Date.now() + hour],
};

const idOfPath: Record<string, () => string> = {
  "/v1/automations/{id}/revisions": () => crowd.automationId,
  "/v1/automation-runs/{id}/events": () => crowd.runId,
  "/v1/automation-runs/{id}/late-reports": () => crowd.runId,
  "/v1/automation-runs/{id}/usage": () => crowd.runId,
  "/v1/llm-providers/{id}/keys": () => crowd.llmProviderId,
  "/v1/mcp-connections/{id}/calls": () => crowd.mcpConnectionId,
  "/v1/mcp-connections/{id}/members": () => crowd.mcpConnectionId,
  "/v1/templates/{id}/versions": () => crowd.templateId,
  "/v1/connectors/{id}/webhook-secrets": () => crowd.connectorId,
  "/v1/connectors/{id}/refused-deliveries": () => crowd.connectorId,
  "/v1/oauth-connections/{id}/events": () => crowd.connectionId,
  "/v1/webhook-endpoints/{id}/deliveries": () => crowd.endpointId,
  "/v1/workers/{id}/activity": () => workerId,
  "/v1/workers/{id}/runtime/upgrades": () => workerId,
  "/v1/mcp-discoveries/{id}/shares": () => discoveryId,
  "/v1/mcp-connections/{id}/tools": () => crowd.mcpConnectionId,
  "/v1/mcp-connections/{id}/drift": () => crowd.mcpConnectionId,
  "/v1/sso/{id}/events": () => ssoConnectorId,
  "/v1/sso/{id}/identities": () => ssoConnectorId,
};

// The lists of SCIM must return a total, so they count every match. `features/scim/search` tests their plans.
const lists = Object.entries(paths)
  .filter(([path]) => !path.startsWith("/scim/"))
  .map(([path, { get }]) => ({
    path,
    names: (get?.parameters ?? []).filter((parameter) => parameter.in === "query"),
  }))
  .filter(({ path, names }) => names.some(({ name }) => name === "cursor") || path === "/v1/audit-export")
  .map(({ path, names }) => ({
    path,
    filters: names.filter(({ name }) => !["cursor", "limit", "format"].includes(name)),
  }));

/** These routes must read every row: an export streams all entries, and sums add up all reports. */
const wholeReads = new Set(["/v1/audit-export", "/v1/automation-usage", "/v1/telemetry/summary"]);

/** Lists whose filters may examine all rows, in steps, and why. */
const examinedInSteps: Record<string, string> = {
  "/v1/admin/users": "the filter is a part of an address",
  "/v1/automations": "a quota limits their number",
  "/v1/invitations": "a quota limits their number",
  "/v1/members": "a quota limits their number",
  "/v1/oauth-connections": "a quota limits their number",
  "/v1/roles": "a quota limits their number",
  "/v1/teams": "a quota limits their number",
  "/v1/templates": "a quota limits their number",
};

/** Clocks differ, so the rows of 15 minutes around these times are examined. Here, all rows are that young. */
const timeFilters = /^(?:from|to|fromAt|toAt)=/;

/** Reports for administrators add up the runs of the current day in one statement. */
const dailySums = new Set(["/v1/admin/usage", "/v1/admin/organizations"]);

/** PostgreSQL adds up usage in one statement, which the statement time limit bounds. */
const isBounded = ({ path }: { path: string }) =>
  !(listRows !== undefined && wholeReads.has(path)) &&
  !dailySums.has(path) &&
  (path !== "/v1/automation-usage" || inject("engine") === "pglite");

const listSampleValues = ({ name, schema }: Parameter): (string | number)[] =>
  schema.enum ?? schema.items?.enum ?? samples[name]!();

/** Queries without a filter, with each value of each filter, and with the last values of each pair of filters. */
function listQueries(path: string, filters: readonly Parameter[]): string[] {
  const alone = filters.flatMap((filter) =>
    listSampleValues(filter).map((value) => `${filter.name}=${value}`),
  );
  // These routes read every row, so pairs of filters test nothing more.
  if (wholeReads.has(path)) return ["", ...alone];
  const pairs = filters.flatMap((one, i) =>
    filters
      .slice(i + 1)
      .map(
        (other) =>
          `${one.name}=${listSampleValues(one).at(-1)}&${other.name}=${listSampleValues(other).at(-1)}`,
      ),
  );
  return ["", ...alone, ...pairs];
}

async function readAll(path: string): Promise<void> {
  const reply = await fetch(`${server.url}${path}`, { headers: crowd.owner.auth });
  expect(reply.status, `${path}: ${await reply.text()}`).toBe(200);
}

const isRead = ({ text }: { text: string }) =>
  /^\s*(select|with)\b/.test(text) && !/\b(insert|update|delete)\b/.test(text);

/** What a request reads: rows per statement, and tables that a statement reads from start to end. */
async function measureRequest(path: string) {
  const measured = new Map<string, PlanNode>();
  const problems: string[] = [];
  let total = 0;
  for (const { text, values } of (await recordStatements(server.engine, () => readAll(path))).filter(
    isRead,
  )) {
    // The steps of a request differ only in their start, so each statement text is measured once.
    const plan = measured.get(text) ?? (await explainStatement(server.engine, text, values));
    measured.set(text, plan);
    const rows = countRowsRead(plan);
    total += rows;
    const begin = text.replace(/\s+/g, " ").slice(0, 300);
    if (rows > maxRowsOfStatement) problems.push(`${path}: ${rows} rows in ${begin}`);
    for (const table of listScannedTables(plan))
      if ((tableRows.get(table) ?? 0) > minRowsForIndex) problems.push(`${path}: scans ${table} in ${begin}`);
  }
  return { total, problems };
}

async function listProblems(path: string, filters: readonly Parameter[]): Promise<string[]> {
  const address = path.replace("{id}", () => idOfPath[path]!());
  const found: string[] = [];
  for (const query of listQueries(path, filters)) {
    const { total, problems } = await measureRequest(`${address}?${query}`);
    found.push(...problems);
    if (wholeReads.has(path)) continue;
    const isInSteps = query.includes("&") || timeFilters.test(query) || path in examinedInSteps;
    const max = isInSteps ? maxRowsOfRequest : maxRowsOfFilter;
    if (total > max) found.push(`${query}: ${total} rows in all`);
  }
  return found;
}

describe("a list of an organization with a long history", () => {
  test("is tested for each route and each of its filters", () => {
    expect(lists.length).toBeGreaterThan(20);
    for (const { path, filters } of lists) {
      expect(path.includes("{id}") && !idOfPath[path] ? path : undefined).toBeUndefined();
      const missing = filters.filter(({ name, schema }) => !schema.enum && !schema.items && !samples[name]);
      expect(
        missing.map(({ name }) => name),
        path,
      ).toEqual([]);
    }
  });

  test.each(lists.filter(isBounded))(
    "$path reads a bounded number of rows",
    { timeout: 300_000 },
    async ({ path, filters }) => expect(await listProblems(path, filters)).toEqual([]),
  );
});

test.each(["attention", "recent", "checklist"])("the overview reads few rows for %s", async (name) => {
  const path = `/v1/overview/${name}`;
  // The first request also reads the quotas, which are counts. They are kept for a minute.
  await readAll(path);
  expect((await measureRequest(path)).problems).toEqual([]);
});

describe("a member who may read only their own runs", () => {
  beforeAll(async () => {
    await server.platform.db.run(sql`update members set role = 'member' where id = ${crowd.memberId}`);
    // Who is calling is cached for less than a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  });

  const own = ["/v1/automation-runs", "/v1/automations"];
  test.each(lists.filter(({ path }) => own.includes(path)))(
    "reads a bounded number of rows from $path",
    { timeout: 300_000 },
    async ({ path, filters }) => expect(await listProblems(path, filters)).toEqual([]),
  );
});
