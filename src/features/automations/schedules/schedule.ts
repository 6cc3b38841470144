import { z } from "zod";
import { dayMs } from "../../../platform/days.ts";
import { CronError, findNextMatch, type Pattern, parseCron } from "./cron.ts";
import { findNextOffsetChange, findOffset, isTimeZone, toInstant, toLocalTime } from "./zone.ts";

const timezone = z
  .string()
  .refine(isTimeZone, "This is not a time zone of the IANA list, such as Europe/Berlin.")
  .describe("IANA name, such as `Europe/Berlin`.");
const hour = z.int().min(0).max(23);
const minute = z.int().min(0).max(59);
const daysOfWeek = z
  .array(z.int().min(0).max(6))
  .min(1)
  .max(7)
  .refine((days) => new Set(days).size === days.length, "Each day once.")
  .describe("0 is Sunday, 6 is Saturday.");
const expression = z
  .string()
  .max(200)
  .superRefine((text, issues) => {
    try {
      parseCron(text);
    } catch (error) {
      if (!(error instanceof CronError)) throw error;
      issues.addIssue({ code: "custom", message: error.message });
    }
  })
  .describe("Five fields: minute, hour, day of month, month, day of week.");

const manual = z.strictObject({ kind: z.literal("manual") });
const daily = z.strictObject({ kind: z.literal("daily"), hour, minute, timezone });
const weekly = z.strictObject({ kind: z.literal("weekly"), daysOfWeek, hour, minute, timezone });
const cron = z.strictObject({ kind: z.literal("cron"), expression, timezone });

/** The last instant that a calendar date can express. */
const maxTime = Date.UTC(9999, 11, 31);
const localText = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?$/;

export const Schedule = z
  .discriminatedUnion("kind", [
    manual,
    z.strictObject({ kind: z.literal("once"), at: z.int(), timezone: z.string() }),
    daily,
    weekly,
    cron,
  ])
  .meta({ id: "AutomationSchedule" });
export type Schedule = z.output<typeof Schedule>;

/** What may be sent: `at` is an instant, or what the clocks of the time zone will show. */
export const ScheduleInput = z
  .discriminatedUnion("kind", [
    manual,
    z.strictObject({
      kind: z.literal("once"),
      at: z
        .union([
          z.int().min(0).max(maxTime),
          z.string().refine((text) => parseLocal(text) !== undefined, {
            message: "Must be milliseconds since 1970, or a local time such as 2026-03-08T09:30.",
          }),
        ])
        .describe("Milliseconds since 1970, or a local time such as `2026-03-08T09:30`."),
      timezone,
    }),
    daily,
    weekly,
    cron,
  ])
  .transform(
    (schedule): Schedule =>
      schedule.kind === "once" && typeof schedule.at === "string"
        ? { ...schedule, at: toInstant(schedule.timezone, parseLocal(schedule.at)!) }
        : (schedule as Schedule),
  )
  .meta({ id: "AutomationScheduleInput" });

function parseLocal(text: string): number | undefined {
  const found = localText.exec(text);
  if (!found) return undefined;
  const [year, month, date, h, m, s] = found.slice(1).map((part) => Number(part ?? 0)) as number[];
  const local = Date.UTC(year!, month! - 1, date!, h!, m!, s!);
  // Refuses days that do not exist, such as 2026-02-30.
  return new Date(local).toISOString().startsWith(text.slice(0, 16).replace(" ", "T")) ? local : undefined;
}

/** The first occurrence after `after`. Undefined when there is none. */
export function findNextOccurrence(schedule: Schedule, after: number): number | undefined {
  if (schedule.kind === "manual") return undefined;
  if (schedule.kind === "once") return schedule.at > after ? schedule.at : undefined;
  const pattern = toPattern(schedule);
  return pattern.isInterval
    ? findNextByElapsedTime(pattern, schedule.timezone, after)
    : findNextByTimeOfDay(pattern, schedule.timezone, after);
}

/** Up to `count` times, in order. */
export function listNextOccurrences(schedule: Schedule, after: number, count: number): number[] {
  const found: number[] = [];
  for (
    let at = findNextOccurrence(schedule, after);
    at !== undefined;
    at = findNextOccurrence(schedule, at)
  ) {
    found.push(at);
    if (found.length >= count) break;
  }
  return found;
}

const everyDay = new Set(Array.from({ length: 31 }, (_, i) => i + 1));
const everyMonth = new Set(Array.from({ length: 12 }, (_, i) => i + 1));
const everyWeekday = new Set([0, 1, 2, 3, 4, 5, 6]);

function toPattern(schedule: Exclude<Schedule, { kind: "manual" | "once" }>): Pattern {
  if (schedule.kind === "cron") return parseCron(schedule.expression);
  return {
    minutes: [schedule.minute],
    hours: [schedule.hour],
    daysOfMonth: everyDay,
    months: everyMonth,
    daysOfWeek: schedule.kind === "weekly" ? new Set(schedule.daysOfWeek) : everyWeekday,
    eitherDay: false,
    isInterval: false,
  };
}

const minuteMs = 60_000;
const horizon = 41 * 366 * 24 * 60 * minuteMs;

/**
 * Every matching local time happens once. A local time that a clock change skips happens later, so near a change all
 * matches within the size of the change are compared.
 */
function findNextByTimeOfDay(pattern: Pattern, zone: string, after: number): number | undefined {
  let best: number | undefined;
  let end = Number.POSITIVE_INFINITY;
  let local = findNextMatch(pattern, toLocalTime(zone, after) - findOffsetShift(zone, after));
  while (local !== undefined && local < end) {
    const at = toInstant(zone, local);
    if (at > after && (best === undefined || at < best)) {
      best = at;
      end = toLocalTime(zone, at) + findOffsetShift(zone, at);
    }
    local = findNextMatch(pattern, local + minuteMs);
  }
  return best;
}

/** How far the clocks change within two days of an instant. Nearly always 0. */
function findOffsetShift(zone: string, instant: number): number {
  const offsets = [-2, -1, 0, 1, 2].map((days) => findOffset(zone, instant + days * dayMs));
  return Math.max(...offsets) - Math.min(...offsets);
}

/** Longer than any change of the clocks. */
const nearMs = 2 * dayMs;

/**
 * Between two clock changes, local time is elapsed time. A match can be decades away, so changes are searched for only
 * near the start and near the match: no time in between can match.
 */
function findNextByElapsedTime(pattern: Pattern, zone: string, after: number): number | undefined {
  let from = (Math.floor(after / minuteMs) + 1) * minuteMs;
  while (from <= after + horizon) {
    const offset = findOffset(zone, from);
    const local = findNextMatch(pattern, from + offset);
    if (local === undefined) return undefined;
    const at = local - offset;
    const near = Math.min(at, from + nearMs);
    const change = findNextOffsetChange(zone, from, near);
    if (change !== undefined) from = Math.ceil(change / minuteMs) * minuteMs;
    else if (near === at) return at;
    else from = Math.max(near, Math.floor((at - nearMs) / minuteMs) * minuteMs);
  }
  return undefined;
}
