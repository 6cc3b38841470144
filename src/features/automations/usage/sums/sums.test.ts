import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWorkspace, useServer } from "../../../../../test/harness.ts";
import type { OrgId } from "../../../../platform/context.ts";
import { sql } from "../../../../platform/db/index.ts";
import { newIdAt } from "../../../../platform/ids.ts";
import { storeDayAcrossOrganizations, storeReopenedDay } from "../../rollups/store.ts";
import { readUsage } from "./index.ts";
import { toPeriod } from "./periods.ts";
import { listByRun } from "./store.ts";

const server = useServer();
const db = () => server.platform.db;

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 0, 1);
const toDay = (index: number) => new Date(firstDay + index * dayMs).toISOString().slice(0, 10);

interface Report {
  runId: string;
  automationId: string;
  memberId: string;
  model: string | null;
  at: number;
  number: number;
  costMicros: number;
  isUnpriced: boolean;
}

type Request = Parameters<typeof readUsage>[2];

const keys: Record<Request["groupBy"], (report: Report) => string> = {
  run: ({ runId }) => runId,
  automation: ({ automationId }) => automationId,
  member: ({ memberId }) => memberId,
  model: ({ model }) => model ?? "",
  day: ({ at }) => new Date(at).toISOString().slice(0, 10),
};

const sum = (reports: readonly Report[]) => {
  const unpriced = reports.filter(({ isUnpriced }) => isUnpriced).length;
  const cost = reports.reduce((micros, { costMicros }) => micros + costMicros, 0);
  return {
    inputTokens: reports.length,
    outputTokens: 2 * reports.length,
    costMicros: reports.length > 0 && unpriced === reports.length ? null : cost,
    priced: unpriced === 0,
  };
};

/** What a request should return, from the list of all reports. */
function expectUsage(reports: readonly Report[], request: Request) {
  const matching = reports.filter(
    ({ at, memberId, automationId }) =>
      at >= (request.fromAt ?? 0) &&
      at < (request.toAt ?? Infinity) &&
      (request.memberId ?? memberId) === memberId &&
      (request.automationId ?? automationId) === automationId,
  );
  const rows = [...Map.groupBy(matching, keys[request.groupBy])]
    .filter(([key]) => request.after === null || key < request.after)
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .slice(0, request.limit)
    .map(([key, own]) => ({ key, runs: new Set(own.map(({ runId }) => runId)).size, ...sum(own) }));
  return { rows, totals: sum(matching) };
}

const runs = fc.array(fc.record({ hour: fc.nat(5 * 24), automation: fc.nat(1), member: fc.nat(1) }), {
  minLength: 2,
  maxLength: 4,
});
/** On each day, programs report, days before it are added up in any order, and people correct reports. */
const days = fc.array(
  fc.record({
    reports: fc.array(
      fc.record({
        run: fc.nat(5),
        hour: fc.nat(23),
        model: fc.constantFrom(null, "large", "small"),
        costMicros: fc.nat(1_000),
        isUnpriced: fc.boolean(),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    closed: fc.uniqueArray(fc.nat(5), { maxLength: 4 }),
    corrections: fc.array(
      fc.record({ report: fc.nat(20), costMicros: fc.nat(1_000), isStored: fc.boolean() }),
      {
        maxLength: 2,
      },
    ),
  }),
  { minLength: 6, maxLength: 6 },
);
/** A time within the days or no bound. Many are at midnight. */
const bound = fc.option(
  fc.oneof(
    fc.nat(6).map((day) => day * 24),
    fc.nat(6 * 24),
  ),
);
const filters = fc.record({
  from: bound,
  to: bound,
  automation: fc.option(fc.nat(1)),
  member: fc.option(fc.nat(1)),
  limit: fc.integer({ min: 1, max: 4 }),
});
const everything = { from: null, to: null, automation: null, member: null, limit: 100 };
const groupings = Object.keys(keys) as Request["groupBy"][];

describe("sums of usage", () => {
  test("are those of the reports, whichever days are stored", async () => {
    const { orgId } = await createWorkspace(server);
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(runs, days, filters, async (plannedRuns, plannedDays, filter) => {
        const history = histories++;
        const id = (kind: string, number: number) => `${kind}_${history}_${number}`;
        const started = plannedRuns.map((run) => {
          const at = firstDay + run.hour * 3_600_000;
          return { ...run, at, id: newIdAt("run", at) };
        });
        await db().run(sql`delete from automation_usage where org_id = ${orgId}`);
        await db().run(sql`delete from automation_usage_days where org_id = ${orgId}`);
        await db().run(sql`delete from automation_usage_repeated_runs where org_id = ${orgId}`);
        await db().run(sql`delete from usage_reopened_days where org_id = ${orgId}`);
        await db().run(sql`delete from usage_rollups where day < '2026-02-01'`);
        const reports: Report[] = [];
        for (const [today, { reports: planned, closed, corrections }] of plannedDays.entries()) {
          for (const { run, hour, ...report } of planned) {
            const { automation, member, ...own } = started[run % started.length]!;
            const at = firstDay + today * dayMs + hour * 3_600_000;
            if (at < own.at) continue;
            const stored: Report = {
              ...report,
              runId: own.id,
              automationId: id("aut", automation),
              memberId: id("mem", member),
              costMicros: report.isUnpriced ? 0 : report.costMicros,
              at,
              number: reports.length,
            };
            reports.push(stored);
            await db().run(sql`
              insert into automation_usage (run_id, attempt, report, org_id, automation_id, member_id, model,
                input_tokens, output_tokens, cost_micros, cost_source, reported_at)
              values (${stored.runId}, 1, ${stored.number}, ${orgId}, ${stored.automationId}, ${stored.memberId},
                ${stored.model}, 1, 2, ${stored.costMicros}, ${stored.isUnpriced ? "unpriced" : "reported"},
                to_timestamp(${at}::bigint / 1000.0))`);
          }
          for (const index of closed.filter((index) => index < today))
            await db().transaction((tx) => storeDayAcrossOrganizations(tx, toDay(index)));
          for (const { report, costMicros, isStored } of reports.length > 0 ? corrections : []) {
            const corrected = reports[report % reports.length]!;
            Object.assign(corrected, { costMicros, isUnpriced: false });
            await db().run(sql`
              update automation_usage set cost_micros = ${costMicros}, cost_source = 'reported', state = 'corrected'
              where org_id = ${orgId} and run_id = ${corrected.runId} and report = ${corrected.number}`);
            const day = keys.day(corrected);
            if (isStored && (await isClosed(day)))
              await db().transaction((tx) => storeReopenedDay(tx, orgId as OrgId, day));
          }
        }
        for (const groupBy of groupings)
          for (const { from, to, automation, member, limit } of [everything, filter]) {
            const request: Request = {
              groupBy,
              limit,
              fromAt: from === null ? null : firstDay + from * 3_600_000,
              toAt: to === null ? null : firstDay + to * 3_600_000,
              automationId: automation === null ? null : id("aut", automation),
              memberId: member === null ? null : id("mem", member),
              after: null,
            };
            const expected = expectUsage(reports, request);
            expect(await readUsage(db(), orgId as OrgId, request)).toEqual(expected);
            const next = { ...request, after: expected.rows.at(-1)?.key ?? "none" };
            expect(await readUsage(db(), orgId as OrgId, next)).toEqual(expectUsage(reports, next));
            const listRuns = (hasManyReports: boolean) =>
              listByRun(db(), orgId as OrgId, request, toPeriod(request), null, hasManyReports);
            expect(await listRuns(true)).toEqual(await listRuns(false));
          }
      }),
      { numRuns: 25 },
    );
  });
});

const isClosed = async (day: string) =>
  (await db().row(sql`
    select from usage_rollups where day = ${day}::date and completed_at is not null`)) !== undefined;
