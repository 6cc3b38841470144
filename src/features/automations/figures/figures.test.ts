/** The sums are compared with figures that are computed from all rows, with other code. */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { useServer } from "../../../../test/harness.ts";
import type { OrgId } from "../../../platform/context.ts";
import { type Db, sql } from "../../../platform/db/index.ts";
import { newId, newIdAt } from "../../../platform/ids.ts";
import { adjustCosts, readFigures, subtractRuns } from "./index.ts";
import { sumStep } from "./service.ts";

const server = useServer();
const db = () => server.platform.db;

const minute = 60_000;
const dayMs = 1440 * minute;
const begin = Date.UTC(2026, 0, 1);
const toTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

interface Run {
  id: string;
  memberId: string;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  status: string;
  reason: string | null;
}
interface Report {
  runId: string;
  number: number;
  memberId: string;
  reportedAt: number;
  costMicros: number;
}
interface History {
  orgId: OrgId;
  automationId: string;
  now: number;
  runs: Run[];
  reports: Report[];
}

const endings: [status: string, reason: string | null][] = [
  ["succeeded", null],
  ["succeeded", null],
  ["failed", "reported"],
  ["failed", "lease_lost"],
  ["cancelled", "requested"],
  ["skipped", "overlap"],
];
const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];

/** What can happen, with numbers that choose the rows and their values. Time never goes back. */
const actions: Record<string, (history: History, one: number, two: number, db?: Db) => Promise<void>> = {
  async create({ orgId, automationId, now, runs }, one) {
    const run: Run = {
      ...{
        id: newIdAt("run", now),
        memberId: `mem_${one % 2}`,
        createdAt: now,
        status: "queued",
        reason: null,
      },
      ...{ startedAt: null, finishedAt: null },
    };
    runs.push(run);
    await db().run(sql`
      insert into automation_runs (id, org_id, automation_id, revision, member_id, trigger, status, created_at)
      values (${run.id}, ${orgId}, ${automationId}, 1, ${run.memberId}, 'manual', 'queued',
        ${toTime(now)}::text::timestamptz)`);
  },
  async end({ now, runs }, one, two) {
    const run = pick(
      runs.filter(({ finishedAt }) => finishedAt === null),
      one,
    );
    if (!run) return;
    const [status, reason] = pick(endings, two)!;
    const startedAt = status === "skipped" ? null : now - (two % Math.max(1, now - run.createdAt));
    Object.assign(run, { status, reason, startedAt, finishedAt: now });
    await db().run(sql`
      update automation_runs set status = ${status}, reason = ${reason},
        started_at = ${toTime(startedAt)}::text::timestamptz, finished_at = ${toTime(now)}::text::timestamptz
      where id = ${run.id}`);
  },
  async report({ orgId, automationId, now, runs, reports }, one, two) {
    const run = pick(runs, one);
    if (!run) return;
    const report: Report = {
      ...{ runId: run.id, memberId: run.memberId, number: reports.length, reportedAt: now },
      costMicros: two % 1_000,
    };
    reports.push(report);
    await db().run(sql`
      insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, input_tokens,
        output_tokens, cost_micros, reported_at)
      values (${run.id}, 1, ${report.number}, ${orgId}, ${automationId}, ${run.memberId}, 1, 1, ${report.costMicros},
        ${toTime(now)}::text::timestamptz)`);
  },
  async correct({ orgId, reports }, one, two, on = db()) {
    const report = pick(reports, one);
    if (!report) return;
    const { runId, number, costMicros: earlier } = report;
    report.costMicros = two % 1_000;
    await on.transaction(async (tx) => {
      await tx.run(sql`
        update automation_usage set cost_micros = ${report.costMicros}
        where org_id = ${orgId} and run_id = ${runId} and report = ${number}`);
      await adjustCosts(tx, orgId, [
        { runId, attempt: 1, report: number, micros: report.costMicros - earlier },
      ]);
    });
  },
  /** Retention can remove any run that has ended, whether or not it is added up. Its costs stay. */
  async remove({ orgId, runs }, one, two, on = db()) {
    const gone = runs.filter(
      ({ finishedAt }, i) => finishedAt !== null && i % 5 === one % 5 && i < two % 200,
    );
    for (const run of gone) runs.splice(runs.indexOf(run), 1);
    const ids = gone.map(({ id }) => id);
    await on.transaction(async (tx) => {
      await subtractRuns(tx, orgId, ids);
      await tx.run(sql`delete from automation_runs where id = any(${ids}::text[])`);
    });
  },
  sum: ({ orgId, now }, one) => sumStep(db(), orgId, toTime(now - ((one % 5) * dayMs) / 4)!),
};

const countInterval = (bounds: readonly number[], time: number) =>
  bounds.filter((bound) => bound <= time).length;

function addUp<T>(rows: readonly T[], key: (row: T) => string, value: (row: T) => number) {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[key(row)] = (sums[key(row)] ?? 0) + value(row);
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

function findMedian(runs: readonly Run[]): number | null {
  const durations = runs
    .filter(({ status }) => status === "succeeded" || status === "failed")
    .map(({ startedAt, finishedAt }) => finishedAt! - startedAt!)
    .toSorted((one, other) => one - other);
  return durations[Math.ceil(durations.length / 2) - 1] ?? null;
}

function expectMedian(found: number | null, runs: readonly Run[]): void {
  const exact = findMedian(runs);
  if (exact === null) expect(found).toBeNull();
  else expect(Math.abs(found! - exact)).toBeLessThanOrEqual(1 + 0.05 * exact);
}

async function compare({ orgId, runs, reports }: History, memberId: string | null, bounds: number[]) {
  const [start, ...rest] = bounds as [number, ...number[]];
  const end = rest.pop()!;
  const reach = { runs: memberId, costs: memberId };
  const found = await readFigures(db(), orgId, reach, { start, end, bounds: rest });
  const matches = (time: number, of: string) =>
    time >= start && time < end && (memberId === null || of === memberId);
  const counted = runs.filter((run) => matches(run.createdAt, run.memberId));
  expect(
    addUp(
      found.runs,
      ({ interval, status, reason }) => `${interval} ${status} ${reason}`,
      (row) => row.runs,
    ),
  ).toEqual(
    addUp(
      counted,
      ({ createdAt, status, reason }) => `${countInterval(rest, createdAt)} ${status} ${reason}`,
      () => 1,
    ),
  );
  expect(
    addUp(
      found.costs,
      ({ interval }) => String(interval),
      ({ micros }) => micros,
    ),
  ).toEqual(
    addUp(
      reports.filter((report) => matches(report.reportedAt, report.memberId)),
      ({ reportedAt }) => String(countInterval(rest, reportedAt)),
      ({ costMicros }) => costMicros,
    ),
  );
  expectMedian(
    found.medianBeforeMs,
    counted.filter(({ createdAt }) => createdAt < rest[0]!),
  );
  expectMedian(
    found.medianMs,
    counted.filter(({ createdAt }) => createdAt >= rest[0]!),
  );
}

async function createHistory(): Promise<History> {
  const orgId = newId("org") as OrgId;
  await db().run(sql`insert into organizations (id, name, slug) values (${orgId}, 'Acme', ${orgId})`);
  return { orgId, automationId: newId("aut"), now: begin, runs: [], reports: [] };
}

const number = fc.nat(10_000_000);
const steps = fc.array(
  fc.record({
    // More rows than anything else.
    action: fc.constantFrom(
      ...["create", "create", "create", "end", "end", "report", "report", "correct", "remove", "sum"],
    ),
    one: number,
    two: number,
    waitMinutes: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(300)),
  }),
  { minLength: 30, maxLength: 120, size: "max" },
);
/** Times at quarter hours, as midnight in every time zone is, and any other times. */
const times = fc.uniqueArray(
  fc.oneof(
    fc.nat(12 * 96).map((n) => begin + n * 15 * minute),
    fc.nat(12 * dayMs).map((n) => begin + n),
  ),
  { minLength: 3, maxLength: 20 },
);

describe("the sums of the overview", () => {
  test("are the figures of the rows, whatever happens to runs and reports", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(times, { minLength: 3, maxLength: 6 }), async (history, periods) => {
        const state = await createHistory();
        const { orgId } = state;
        for (const { action, one, two, waitMinutes } of history) {
          state.now += waitMinutes * minute + (one % minute);
          await actions[action]!(state, one, two);
        }
        for (const bounds of periods)
          for (const memberId of [null, "mem_1"])
            await compare(
              state,
              memberId,
              bounds.toSorted((one, other) => one - other),
            );
        // Nothing stays of runs that were removed and of costs that became 0.
        state.now += dayMs;
        while (state.runs.some(({ finishedAt }) => finishedAt === null)) await actions.end!(state, 0, 0);
        await actions.sum!({ ...state, now: state.now + 1 }, 0, 0);
        await compare(state, null, [begin, begin + dayMs, state.now + dayMs]);
        for (const n of [0, 1, 2, 3, 4]) await actions.remove!({ ...state, runs: [...state.runs] }, n, 199);
        for (const n of state.reports.keys()) await actions.correct!(state, n, 0);
        expect(await db().rows(sql`select from automation_figures where org_id = ${orgId}`)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test("have runs and reports of a time that a clock had shown before", async () => {
    const state = await createHistory();
    const end = async () => {
      await actions.create!(state, 0, 0);
      await actions.report!(state, state.runs.length - 1, 7);
      await actions.end!(state, 0, 0);
    };
    await end();
    await actions.sum!({ ...state, now: begin + dayMs }, 0, 0);
    state.now += dayMs / 2;
    await end();
    await compare(state, null, [begin - dayMs, begin, begin + dayMs]);
    await actions.sum!({ ...state, now: begin + dayMs }, 0, 0);
    await compare(state, null, [begin - dayMs, begin, begin + dayMs]);
  });

  test("are right again after implausible costs are corrected", async () => {
    const state = await createHistory();
    await actions.create!(state, 0, 0);
    for (const n of [0, 1]) await actions.report!(state, 0, n);
    await db().run(sql`
      update automation_usage set cost_micros = ${Number.MAX_SAFE_INTEGER} where org_id = ${state.orgId}`);
    for (const report of state.reports) report.costMicros = Number.MAX_SAFE_INTEGER;
    await actions.sum!({ ...state, now: state.now + minute }, 0, 0);
    for (const n of [0, 1]) await actions.correct!(state, n, 5);
    await compare(state, null, [begin - dayMs, begin, begin + dayMs]);
  });

  test.each([
    ["a correction", (state: History, tx: Db) => actions.correct!(state, 0, 500, tx)],
    ["a removal", (state: History, tx: Db) => actions.remove!(state, 0, 199, tx)],
  ])(
    "have %s that is not committed when an organization is added up for the first time",
    async (_, change) => {
      const state = await createHistory();
      await actions.create!(state, 0, 0);
      await actions.report!(state, 0, 100);
      await actions.end!(state, 0, 0);
      const [changed, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const changing = db().transaction(async (tx) => {
        await change(state, tx);
        changed.resolve();
        await mayCommit.promise;
      });
      await changed.promise;
      const summing = sumStep(db(), state.orgId, toTime(begin + dayMs)!);
      await Promise.race([summing, sleep(300)]);
      mayCommit.resolve();
      await Promise.all([changing, summing]);
      await compare(state, null, [begin - dayMs, begin, begin + dayMs]);
    },
  );
});
