import type { MemberCtx } from "../../../platform/context.ts";
import { dayMs } from "../../../platform/days.ts";
import { invalidField } from "../../../platform/errors.ts";
import { isTimeZone, type RunCount, readFigures } from "../../automations/index.ts";
import { findMonthlyBudget } from "../../llm-providers/index.ts";
import {
  type Interval,
  maxDays,
  maxHourlyDays,
  maxUnpricedReports,
  type Period,
  type Reason,
  type RunFigures,
  type RunsQuery,
} from "./contract.ts";
import { forecastMonth } from "./forecast.ts";
import { findDayStart, formatStart, listStarts } from "./intervals.ts";
import * as store from "./store.ts";

const defaultDays = 30;

type Counts = Omit<Interval, "start" | "end" | "local">;
const createCounts = (): Counts => ({
  ...{ runs: 0, queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0, skipped: 0, costMicros: 0 },
});
const isUnsuccessful = (status: string): status is Reason["status"] =>
  status === "failed" || status === "cancelled" || status === "skipped";

function readPeriod({ from, to = Date.now(), timeZone, interval }: RunsQuery) {
  if (!isTimeZone(timeZone))
    throw invalidField(["timeZone"], "This is not the name of a time zone, such as Europe/Berlin.");
  const start = from ?? findDayStart(timeZone, to, defaultDays - 1);
  if (start >= to) throw invalidField(["from"], "Must be earlier than `to`.");
  const most = interval === "hour" ? maxHourlyDays : maxDays;
  // A day with a clock change has up to 25 hours.
  if (to - start > most * dayMs + dayMs / 12)
    throw invalidField(["from"], `The period has at most ${most} days. Choose a shorter one.`);
  return { start, end: to, beforeStart: Math.max(0, start - (to - start)) };
}

/** Runs and costs of a period by day or hour, and of the period before. */
export async function readRuns(ctx: MemberCtx, query: RunsQuery): Promise<RunFigures> {
  const { db, orgId, member } = ctx;
  const { start, end, beforeStart } = readPeriod(query);
  const { timeZone, interval } = query;
  const runReach = member.permissions.has("automations:manage") ? null : member.id;
  const costReach = member.permissions.has("usage:read") ? null : member.id;
  const starts = listStarts(timeZone, start, end, interval);
  const span = { start: beforeStart, end, bounds: starts };
  const [figures, unpriced, unpricedBefore, spend, budget] = await Promise.all([
    readFigures(db, orgId, { runs: runReach, costs: costReach }, span),
    store.countUnpricedRuns(db, orgId, costReach, { start, end }, maxUnpricedReports),
    store.countUnpricedRuns(db, orgId, costReach, { start: beforeStart, end: start }, maxUnpricedReports),
    store.readSpend(db, orgId, costReach ?? orgId),
    costReach === null ? findMonthlyBudget(db, orgId) : undefined,
  ]);
  const before = createCounts();
  const counts = starts.map(createCounts);
  for (const row of figures.runs) {
    const sums = counts[row.interval - 1] ?? before;
    sums.runs += row.runs;
    sums[row.status as "queued"] += row.runs;
  }
  for (const row of figures.costs) {
    const sums = counts[row.interval - 1] ?? before;
    sums.costMicros = Math.min(sums.costMicros + row.micros, Number.MAX_SAFE_INTEGER);
  }
  const period: Period = {
    ...{ start, end, ...sumCounts(counts) },
    ...{ unpricedRuns: unpriced, medianDurationMs: figures.medianMs },
  };
  return {
    ...{ timeZone, interval, currency: "USD" },
    runScope: runReach === null ? "organization" : "own",
    costScope: costReach === null ? "organization" : "own",
    period,
    before: {
      ...{ start: beforeStart, end: start, ...before },
      ...{ unpricedRuns: unpricedBefore, medianDurationMs: figures.medianBeforeMs },
    },
    items: starts.map((at, i) => ({
      ...{ start: at, end: starts[i + 1] ?? end, local: formatStart(timeZone, at) },
      ...counts[i]!,
    })),
    reasons: listReasons(figures.runs),
    month: forecastMonth(spend, budget?.limitMicros ?? null),
  };
}

function sumCounts(counts: readonly Counts[]): Counts {
  const sum = createCounts();
  for (const one of counts)
    for (const name of Object.keys(sum) as (keyof Counts)[])
      sum[name] = Math.min(sum[name] + one[name], Number.MAX_SAFE_INTEGER);
  return sum;
}

function listReasons(rows: readonly RunCount[]): Reason[] {
  const found = new Map<string, Reason>();
  for (const { interval, status, reason, runs } of rows) {
    if (!isUnsuccessful(status)) continue;
    const key = `${status} ${reason}`;
    const sums = found.get(key) ?? { status, reason, runs: 0, runsBefore: 0 };
    found.set(key, sums);
    if (interval === 0) sums.runsBefore += runs;
    else sums.runs += runs;
  }
  return [...found.values()].toSorted(
    (one, other) => other.runs - one.runs || other.runsBefore - one.runsBefore,
  );
}
