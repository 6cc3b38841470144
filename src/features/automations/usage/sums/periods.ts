import { dayMs, toDay } from "../../../../platform/days.ts";
import { idsBetween } from "../../../../platform/ids.ts";
import type { Period, StoredDays } from "./store.ts";

/** Milliseconds since 1970. Null: no bound. */
export interface TimeRange {
  fromAt: number | null;
  toAt: number | null;
}

/** From the first day of a range to its last, which is not included: it is not over when the range ends. */
export const findDays = ({ fromAt, toAt }: TimeRange) => ({
  from: fromAt === null ? "-infinity" : toDay(fromAt),
  to: toAt === null ? "infinity" : toDay(toAt),
});

const toTime = (time: number | null, otherwise: "-infinity" | "infinity") =>
  time === null ? otherwise : new Date(time).toISOString();

/** Runs with this id or a larger one were created after a time. */
const findRunIdAfter = (time: number): string => idsBetween("run", undefined, time).end!;

export const findEndRunId = ({ toAt }: TimeRange) => (toAt === null ? null : findRunIdAfter(toAt));

export const toPeriod = ({ fromAt, toAt }: TimeRange): Period => ({
  start: toTime(fromAt, "-infinity"),
  end: toTime(toAt, "infinity"),
  firstRunId: fromAt === null ? "" : findRunIdAfter(fromAt),
});

/**
 * Splits a range into whole days whose sums are stored and the periods between them, newest first. `days` are the days
 * with stored sums, in their order.
 */
export function splitRange(
  range: TimeRange,
  days: readonly string[],
): { stored: StoredDays | null; periods: Period[] } {
  const { fromAt, toAt } = range;
  const whole = days
    .map((day) => Date.parse(day))
    .filter((start) => (fromAt === null || start >= fromAt) && (toAt === null || start + dayMs <= toAt));
  const periods: Period[] = [];
  const except: string[] = [];
  let from = fromAt;
  for (const start of whole) {
    if (from === null || from < start) periods.unshift(toPeriod({ fromAt: from, toAt: start }));
    if (from !== null && start !== whole[0])
      for (let day = from; day < start; day += dayMs) except.push(toDay(day));
    from = start + dayMs;
  }
  if (from === null || toAt === null || from < toAt) periods.unshift(toPeriod({ fromAt: from, toAt }));
  const stored = whole.length === 0 ? null : { from: toDay(whole[0]!), to: toDay(from!), except };
  return { stored, periods };
}
