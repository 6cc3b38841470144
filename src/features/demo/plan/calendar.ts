import { dayMs } from "../../../platform/days.ts";
import { findNextOccurrence, type Schedule } from "../../automations/index.ts";

export const timezone = "Europe/Berlin";
const minuteMs = 60_000;

const workdayMornings: Schedule = {
  kind: "weekly",
  daysOfWeek: [1, 2, 3, 4, 5],
  hour: 9,
  minute: 0,
  timezone,
};

/** The working days of the 30 days before `now`. */
export interface Calendar {
  now: number;
  /** The time `clock`, such as 14:05, on a working day: 0 is the first, -1 the last. Day -2 is always in the past. */
  at(day: number, clock: string): number;
  /** Every time after `after` and before now at which a schedule is due. */
  occurrences(schedule: Schedule, after: number): number[];
  /** The next 09:00 on a working day after `time`. */
  nextMorning(time: number): number;
}

export function createCalendar(now: number): Calendar {
  const occurrences = (schedule: Schedule, after: number) => {
    const found: number[] = [];
    let at = findNextOccurrence(schedule, after);
    for (; at !== undefined && at < now; at = findNextOccurrence(schedule, at)) found.push(at);
    return found;
  };
  const days = occurrences(workdayMornings, now - 30 * dayMs);
  return {
    now,
    at(day, clock) {
      const [hours, minutes] = clock.split(":").map(Number) as [number, number];
      return days.at(day)! + ((hours - 9) * 60 + minutes) * minuteMs;
    },
    occurrences,
    nextMorning: (time) => findNextOccurrence(workdayMornings, time)!,
  };
}
