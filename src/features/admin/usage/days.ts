import { dayMs, toDay } from "../../../platform/days.ts";

export const addDays = (day: string, days: number): string => toDay(Date.parse(day) + days * dayMs);

export const countDays = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / dayMs;

/** The first day of the interval that the day is in. Weeks begin on Monday, as in PostgreSQL. */
function findIntervalStart(day: string, interval: "day" | "week" | "month"): string {
  if (interval === "day") return day;
  if (interval === "month") return `${day.slice(0, 7)}-01`;
  const weekday = new Date(day).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** The intervals of the days from `from` to before `to`, newest first. */
export function listIntervals(from: string, to: string, interval: "day" | "week" | "month"): string[] {
  const starts = new Set<string>();
  for (let day = addDays(to, -1); day >= from; day = addDays(day, -1))
    starts.add(findIntervalStart(day, interval));
  return [...starts];
}
