import type { OrgId } from "../../../platform/context.ts";
import { dayMs, toDay } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import * as store from "./store.ts";
import type { Tree } from "./tree.ts";

const hourMs = 3_600_000;
const quarterMs = 900_000;
const floor = (time: number, unit: number) => Math.floor(time / unit) * unit;

/** Whose rows count. Null means all members. */
interface FigureReach {
  runs: store.Reach;
  costs: store.Reach;
}

export interface RunCount {
  interval: number;
  status: string;
  reason: string | null;
  runs: number;
}

/** Runs and costs of the intervals of a span, and the median durations of interval 0 and of all others. */
export interface SpanFigures {
  runs: RunCount[];
  costs: { interval: number; micros: number }[];
  medianBeforeMs: number | null;
  medianMs: number | null;
}

/**
 * Reads the stored sums, and counts what they do not contain: the newest rows, and the hours in which the span or its
 * first interval begins or ends. All from one snapshot, because the job moves rows to the sums.
 */
export const readFigures = (
  db: Db,
  orgId: OrgId,
  reach: FigureReach,
  span: store.Span,
): Promise<SpanFigures> =>
  db.transaction(async (tx) => {
    const mark = await store.findMarkInSnapshot(tx, orgId);
    const plan = planReading(span);
    const [runSubject, costSubject] = [reach.runs ?? orgId, reach.costs ?? orgId];
    const subjectIds = [...new Set([runSubject, costSubject])];
    const days = await store.listDays(tx, orgId, subjectIds, plan.days, plan.hourlyDays);
    const counted = await store.countRuns(tx, orgId, reach.runs, span, mark, plan.countedPeriods);
    const costs = await store.sumCosts(tx, orgId, reach.costs, span, mark, plan.countedPeriods);
    const runs: RunCount[] = counted;
    const [before, after] = [createDurations(), createDurations()];
    const choose = (isBefore: boolean) => (isBefore ? before : after);
    for (const { interval, size, runs: n, ms } of counted)
      if (size !== null) choose(interval === 0).add(size, n, ms);
    for (const day of days) {
      const start = Date.parse(day.day);
      if (day.subjectId === costSubject)
        for (const [interval, micros] of plan.placeQuarters(start, day.costs))
          costs.push({ interval, micros });
      if (day.subjectId !== runSubject) continue;
      for (const [key, quarters] of Object.entries(day.runs)) {
        const [status = "", reason = null] = key.split(" ");
        for (const [interval, count] of plan.placeQuarters(start, quarters as Tree))
          runs.push({ interval, status, reason, runs: count });
      }
      if (day.hourlyDurations === null) choose(start < span.bounds[0]!).addTree(day.durations);
      else
        for (const [hour, tree] of Object.entries(day.hourlyDurations)) {
          const at = start + Number(hour) * hourMs;
          if (plan.isStored(at, hourMs)) choose(at < span.bounds[0]!).addTree(tree as Tree);
        }
    }
    return { runs, costs, medianBeforeMs: before.findMedian(), medianMs: after.findMedian() };
  });

/**
 * Decides what is read from the sums. Stored sums have quarter hours, because the offsets of time zones are multiples of
 * it, and hours for durations. An hour that a bound divides in another way is counted from its rows.
 */
function planReading({ start, end, bounds }: store.Span) {
  const ends = [start, bounds[0]!, end];
  const counted = new Set([
    ...ends.filter((time) => time % hourMs !== 0).map((time) => floor(time, hourMs)),
    ...bounds.filter((time) => time % quarterMs !== 0).map((time) => floor(time, hourMs)),
  ]);
  const divided = [...ends.filter((time) => time % dayMs !== 0), ...counted];
  const isStored = (at: number, length: number) =>
    at >= start && at + length <= end && !counted.has(floor(at, hourMs));
  return {
    days: { first: toDay(start), last: toDay(end - 1) },
    hourlyDays: [...new Set(divided.map(toDay))],
    isStored,
    countedPeriods: [...counted].map((hour) => ({
      start: Math.max(hour, start),
      end: Math.min(hour + hourMs, end),
    })),
    /** The intervals of the quarter hours of a day, with their sums. */
    placeQuarters: (day: number, quarters: Tree): [interval: number, sum: number][] =>
      Object.entries(quarters)
        .map(([quarter, sum]): [number, number] => [day + Number(quarter) * quarterMs, sum as number])
        .filter(([at]) => isStored(at, quarterMs))
        .map(([at, sum]) => [findInterval(bounds, at), sum]),
  };
}

/** How many of the bounds, which are in order, are not after a time. */
function findInterval(bounds: readonly number[], time: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bounds[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sums of 0 are not stored. */
type DurationTree = Record<string, { n: number; ms?: number }>;

function createDurations() {
  const bySize = new Map<number, { n: number; ms: number }>();
  const add = (size: number, n: number, ms: number): void => {
    const sums = bySize.get(size) ?? { n: 0, ms: 0 };
    bySize.set(size, { n: sums.n + n, ms: sums.ms + ms });
  };
  return {
    add,
    addTree(tree: Tree): void {
      for (const [size, { n, ms = 0 }] of Object.entries(tree as DurationTree)) add(Number(size), n, ms);
    },
    /** The average of the durations that have the same size as the median. */
    findMedian(): number | null {
      const sizes = [...bySize].sort(([one], [other]) => one - other);
      const rank = Math.ceil(sizes.reduce((sum, [, { n }]) => sum + n, 0) / 2);
      let passed = 0;
      for (const [, { n, ms }] of sizes) {
        passed += n;
        if (n > 0 && passed >= rank) return Math.round(ms / n);
      }
      return null;
    },
  };
}
