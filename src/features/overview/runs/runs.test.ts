/** Every figure is computed again here, from the rows, with other code. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createAutomation } from "../../../../test/automations.ts";
import type { Body } from "../../../../test/body.ts";
import { createWorkspace, joinWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { createBudget } from "../../../../test/llm-providers.ts";
import { recordStatements } from "../../../../test/plans.ts";
import type { OrgId } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId, newIdAt } from "../../../platform/ids.ts";
import { sumStep } from "../../automations/figures/service.ts";
import { pruneAutomations, sumFigures } from "../../automations/index.ts";

const server = useServer();
const db = () => server.platform.db;
const hour = 3_600_000;
const day = 24 * hour;

interface RunRow {
  id: string;
  createdAt: number;
  memberId: string;
  status: string;
  reason: string | null;
  startedAt: number | null;
  finishedAt: number | null;
}
interface ReportRow {
  reportedAt: number;
  memberId: string;
  runId: string;
  costMicros: number;
  source: string;
}

let acme: Workspace;
let member: Awaited<ReturnType<typeof joinWorkspace>>;
let automationId: string;
let ownerMemberId: string;
/** The history is around the changes of clocks in October 2026, in the north and in the south. */
const historyStart = Date.UTC(2026, 8, 1);
const historyEnd = Date.UTC(2026, 10, 14);
const runs: RunRow[] = [];
const reports: ReportRow[] = [];

const statuses = [
  "succeeded",
  "succeeded",
  "succeeded",
  "failed",
  "cancelled",
  "skipped",
  "queued",
  "running",
];
const reasonsOf: Record<string, (string | null)[]> = {
  failed: ["reported", "lease_lost", "timed_out"],
  cancelled: ["requested", null],
  skipped: ["overlap", "no_runner"],
};

beforeAll(async () => {
  acme = await createWorkspace(server);
  member = await joinWorkspace(server, acme, "member");
  automationId = (await createAutomation(server, acme.owner.auth)).id;
  const { id } = (await db().row<{ id: string }>(
    sql`select id from members where org_id = ${acme.orgId} and user_id = ${acme.owner.userId}`,
  ))!;
  ownerMemberId = id;
  // The same history in each run of the test, so that a failure can be repeated.
  let state = 17;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const rows = Array.from({ length: 1_500 }, () => {
    const createdAt = historyStart + Math.floor(next() * (historyEnd - historyStart));
    const status = pick(statuses);
    const startedAt = ["skipped", "queued"].includes(status) ? null : createdAt + Math.floor(next() * 9_000);
    const isOver = !["queued", "running"].includes(status);
    const finishedAt = isOver ? (startedAt ?? createdAt) + Math.floor(next() * 600_000) : null;
    const row: RunRow = {
      id: newIdAt("run", createdAt),
      ...{ createdAt, status, startedAt, finishedAt, reason: pick(reasonsOf[status] ?? [null]) },
      memberId: next() < 0.3 ? member.memberId : ownerMemberId,
    };
    runs.push(row);
    return row;
  });
  const toTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  await db().run(sql`
    insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, reason, created_at,
      started_at, finished_at)
    select id, ${acme.orgId}, ${automationId}, 1, member_id, 'manual', status, reason, created_at::timestamptz,
      started_at::timestamptz, finished_at::timestamptz
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ memberId }) => memberId)}::text[],
      ${rows.map(({ status }) => status)}::text[], ${rows.map(({ reason }) => reason)}::text[],
      ${rows.map(({ createdAt }) => toTime(createdAt))}::text[], ${rows.map(({ startedAt }) => toTime(startedAt))}::text[],
      ${rows.map(({ finishedAt }) => toTime(finishedAt))}::text[])
      t (id, member_id, status, reason, created_at, started_at, finished_at)`);
  for (const row of rows) {
    if (row.startedAt === null) continue;
    const source = pick(["reported", "reported", "computed", "unpriced"]);
    reports.push({
      ...{ runId: row.id, memberId: row.memberId, source },
      reportedAt: row.startedAt + Math.floor(next() * 60_000),
      costMicros: source === "unpriced" ? 0 : Math.floor(next() * 900_000),
    });
  }
  await db().run(sql`
    insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens, output_tokens,
      cost_micros, cost_source, reported_at)
    select run_id, 1, -1, ${acme.orgId}, ${automationId}, member_id, 1, 1, cost, source, reported_at::timestamptz
    from unnest(${reports.map(({ runId }) => runId)}::text[], ${reports.map(({ memberId }) => memberId)}::text[],
      ${reports.map(({ costMicros }) => costMicros)}::bigint[], ${reports.map(({ source }) => source)}::text[],
      ${reports.map(({ reportedAt }) => toTime(reportedAt))}::text[]) t (run_id, member_id, cost, source, reported_at)`);
  // Another organization, whose rows must not count.
  const other = await createWorkspace(server, "Other");
  await db().run(sql`
    insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, created_at)
    select id, ${other.orgId}, ${automationId}, 1, ${ownerMemberId}, 'manual', 'failed', ${toTime(historyEnd - day)}::text::timestamptz
    from unnest(${Array.from({ length: 20 }, () => newId("run"))}::text[]) id`);
  await sumUntil(historyEnd - 25.2 * day);
});

/** The rows before this time are added up, the others are counted one by one. */
const sumUntil = (time: number) => sumStep(db(), acme.orgId as OrgId, new Date(time).toISOString());

const toQuery = (query: Record<string, unknown>) =>
  new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]));

const ask = async (query: Record<string, unknown>, auth = acme.owner.auth): Promise<Body> => {
  const text = toQuery(query);
  const { status, body } = await server.call(`/v1/overview/runs?${text}`, { headers: auth });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};

const names = ["queued", "running", "succeeded", "failed", "cancelled", "skipped"];
type Reach = (row: { memberId: string }) => boolean;

function recount(from: number, to: number, reach: Reach): Record<string, number> {
  const found = runs.filter((row) => row.createdAt >= from && row.createdAt < to && reach(row));
  const costs = reports.filter((row) => row.reportedAt >= from && row.reportedAt < to && reach(row));
  return {
    runs: found.length,
    ...Object.fromEntries(names.map((name) => [name, found.filter(({ status }) => status === name).length])),
    costMicros: costs.reduce((sum, { costMicros }) => sum + costMicros, 0),
  };
}

function recountPeriod(from: number, to: number, reach: Reach) {
  const durations = runs
    .filter((row) => row.createdAt >= from && row.createdAt < to && reach(row))
    .filter(({ status }) => status === "succeeded" || status === "failed")
    .map(({ startedAt, finishedAt }) => finishedAt! - startedAt!)
    .toSorted((one, other) => one - other);
  const unpriced = reports.filter(
    (row) => row.source === "unpriced" && row.reportedAt >= from && row.reportedAt < to && reach(row),
  );
  return {
    ...{ start: from, end: to, ...recount(from, to, reach) },
    unpricedRuns: new Set(unpriced.map(({ runId }) => runId)).size,
    medianDurationMs: durations[Math.ceil(durations.length / 2) - 1] ?? null,
  };
}

const toLocal = (zone: string, time: number, unit: "day" | "hour") =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", timeZoneName: "longOffset" },
    ...(unit === "hour" ? { hour: "2-digit", hourCycle: "h23" as const } : {}),
  })
    .format(time)
    // The offset tells the two hours of a repeated hour apart. A day has one name whatever its offset.
    .replace(unit === "day" ? /, GMT.*$/ : "", "");

/** Median durations are rounded. */
function checkPeriod(
  { medianDurationMs, ...period }: Body,
  expected: ReturnType<typeof recountPeriod>,
): void {
  const { medianDurationMs: exact, ...others } = expected;
  expect(period).toEqual(others);
  if (exact === null) expect(medianDurationMs).toBeNull();
  else expect(Math.abs(medianDurationMs - exact)).toBeLessThanOrEqual(0.05 * exact);
}

function check(body: Body, from: number, to: number, zone: string, unit: "day" | "hour", reach: Reach) {
  checkPeriod(body.period, recountPeriod(from, to, reach));
  checkPeriod(body.before, recountPeriod(from - (to - from), from, reach));
  expect(body.items[0].start).toBe(from);
  expect(body.items.at(-1).end).toBe(to);
  for (const [i, { start, end, local, ...counts }] of (body.items as Body[]).entries()) {
    expect(counts, `${zone} ${local}`).toEqual(recount(start, end, reach));
    expect(Date.parse(local)).toBe(start - (start % 1000));
    // An interval is one day or hour of the place, and the next interval is another.
    expect(toLocal(zone, end - 1, unit)).toBe(toLocal(zone, start, unit));
    if (i === 0) continue;
    expect(body.items[i - 1].end).toBe(start);
    expect(toLocal(zone, start - 1, unit)).not.toBe(toLocal(zone, start, unit));
  }
}

const everyone: Reach = () => true;

describe("runs and costs over time", () => {
  test.each([
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Santiago",
    "Asia/Kolkata",
    "Pacific/Chatham",
  ])("by day in %s are those of the rows, in whichever period", async (zone) => {
    const time = fc.integer({ min: historyStart, max: historyEnd });
    await fc.assert(
      fc.asyncProperty(time, fc.integer({ min: 1, max: 40 * day }), async (from, length) => {
        const to = Math.min(from + length, historyEnd);
        fc.pre(to > from);
        check(await ask({ from, to, timeZone: zone }), from, to, zone, "day", everyone);
      }),
      { numRuns: 8 },
    );
  });

  test.each(["UTC", "Europe/Berlin", "Asia/Kolkata"])("by hour in %s are those of the rows", async (zone) => {
    // The clocks of Berlin went back on this day.
    const from = Date.UTC(2026, 9, 24, 13, 20);
    const to = from + 36 * hour;
    const body = await ask({ from, to, timeZone: zone, interval: "hour" });
    check(body, from, to, zone, "hour", everyone);
    expect(body.items).toHaveLength(37);
  });

  test("without permissions for those of others, cover the caller's own", async () => {
    const [from, to] = [historyStart + 20 * day, historyEnd];
    const body = await ask({ from, to, timeZone: "Europe/Berlin" }, member.auth);
    expect(body).toMatchObject({ runScope: "own", costScope: "own", currency: "USD" });
    check(body, from, to, "Europe/Berlin", "day", ({ memberId }) => memberId === member.memberId);
    expect(body.month.budgetMicros).toBeNull();
  });

  test("name the monthly budget of the organization, and not an alert", async () => {
    const { owner } = await createWorkspace(server);
    const budget = await createBudget(server, owner.auth, { limitMicros: 500, mode: "alert" });
    const readMonth = async () => (await ask({}, owner.auth)).month;
    expect((await readMonth()).budgetMicros).toBeNull();
    await server.call(`/v1/llm-budgets/${budget.id}`, {
      method: "PATCH",
      body: { mode: "budget" },
      headers: owner.auth,
    });
    expect((await readMonth()).budgetMicros).toBe(500);
  });

  test("list why runs did not succeed, also in the period before", async () => {
    const [from, to] = [historyEnd - 30 * day, historyEnd];
    const { reasons, before } = await ask({ from, to });
    const count = (status: string, reason: string | null, start: number, end: number) =>
      runs.filter(
        (row) =>
          row.status === status && row.reason === reason && row.createdAt >= start && row.createdAt < end,
      ).length;
    for (const { status, reason, ...found } of reasons)
      expect({ status, reason, ...found }).toEqual({
        ...{ status, reason, runs: count(status, reason, from, to) },
        runsBefore: count(status, reason, before.start, before.end),
      });
    const total = (key: "runs" | "runsBefore") =>
      reasons.reduce((sum: number, one: Record<string, number>) => sum + one[key]!, 0);
    const unsuccessful = (start: number, end: number) => {
      const sums = recount(start, end, everyone);
      return sums.failed! + sums.cancelled! + sums.skipped!;
    };
    expect(total("runs")).toBe(unsuccessful(from, to));
    expect(total("runsBefore")).toBe(unsuccessful(before.start, before.end));
  });

  test("by default cover thirty local days, until now", async () => {
    const body = await ask({ timeZone: "Asia/Kolkata" });
    expect(body.items).toHaveLength(30);
    expect(Math.abs(body.period.end - Date.now())).toBeLessThan(60_000);
    expect(toLocal("Asia/Kolkata", body.period.start - 1, "day")).not.toBe(
      toLocal("Asia/Kolkata", body.period.start, "day"),
    );
  });

  test("count the same runs as the list with these times", async () => {
    const { items } = await ask({ from: historyEnd - 2 * day, to: historyEnd, timeZone: "Europe/Berlin" });
    for (const { start, end, failed } of items) {
      const path = `/v1/automation-runs?status=failed&fromAt=${start}&toAt=${end}&limit=100`;
      const { body } = await server.call(path, { headers: acme.owner.auth });
      expect(body.items).toHaveLength(failed);
    }
  });

  test.each([
    ["an unknown zone", { timeZone: "Europe/Atlantis" }, "timeZone"],
    ["a fixed offset", { timeZone: "+01:00" }, "timeZone"],
    ["a period that ends before it starts", { from: 2, to: 1 }, "from"],
    ["an empty period", { from: 5, to: 5 }, "from"],
    ["more than 92 days", { from: historyStart - 60 * day, to: historyEnd }, "from"],
    [
      "more than seven days by hour",
      { from: historyEnd - 9 * day, to: historyEnd, interval: "hour" },
      "from",
    ],
  ])("refuse %s", async (_, query, field) => {
    const text = toQuery(query);
    const { status, body } = await server.call(`/v1/overview/runs?${text}`, { headers: acme.owner.auth });
    expect({ status, path: body.details?.[0]?.path }).toEqual({ status: 400, path: [field] });
  });

  test("take few statements", async () => {
    const statements = await recordStatements(server.engine, () =>
      ask({ from: historyEnd - 30 * day, to: historyEnd }),
    );
    expect(statements.length).toBeLessThan(18);
  });

  const checkAll = async () => {
    const [from, to] = [historyEnd - 36.3 * day, historyEnd];
    for (const timeZone of ["UTC", "Asia/Kolkata"])
      check(await ask({ from, to, timeZone }), from, to, timeZone, "day", everyone);
    const own = await ask({ from, to }, member.auth);
    check(own, from, to, "UTC", "day", ({ memberId }) => memberId === member.memberId);
  };

  test("stay the same when several processes add them up", async () => {
    await Promise.all([1, 2, 3].map(() => sumFigures(server.platform, Date.now() + 60_000)));
    await checkAll();
  });

  test("follow the correction of a cost that is added up already", async () => {
    for (const report of reports.filter(({ source }) => source === "reported").slice(0, 20)) {
      report.costMicros += 1_234;
      const { status } = await server.call(`/v1/automation-runs/${report.runId}/usage-corrections`, {
        body: {
          ...{ attempt: 1, sequence: null, inputTokens: 1, outputTokens: 1, reason: "An error." },
          costMicros: report.costMicros,
        },
        headers: acme.owner.auth,
      });
      expect(status).toBe(201);
    }
    await checkAll();
  });

  test("leave out runs that retention removed, and keep their costs", async () => {
    await server.call("/v1/automation-settings", {
      method: "PATCH",
      body: { eventRetentionDays: 30, runRetentionDays: 40 },
      headers: acme.owner.auth,
    });
    await pruneAutomations(server.platform, Date.now() + 60_000);
    const rows = await db().rows<{ id: string }>(
      sql`select id from automation_runs where org_id = ${acme.orgId}`,
    );
    const kept = new Set(rows.map(({ id }) => id));
    expect(kept.size).toBeLessThan(runs.length);
    runs.splice(0, runs.length, ...runs.filter(({ id }) => kept.has(id)));
    await checkAll();
    const [from, to] = [historyStart, historyStart + 30 * day];
    check(await ask({ from, to }), from, to, "UTC", "day", everyone);
  });
});
