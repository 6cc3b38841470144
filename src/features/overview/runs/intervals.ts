import { dayMs } from "../../../platform/days.ts";
import { formatLocalTime, toInstant, toLocalTime } from "../../automations/index.ts";

const hourMs = 3_600_000;

/** The start of the local day, some days before it. */
export function findDayStart(zone: string, time: number, daysBefore = 0): number {
  const local = toLocalTime(zone, time);
  return toInstant(zone, Math.floor(local / dayMs) * dayMs - daysBefore * dayMs);
}

/** The next full hour on the clocks of the zone. Hours are counted in real time, so that a repeated hour counts twice. */
function findNextHour(zone: string, time: number): number {
  const local = toLocalTime(zone, time);
  const sinceHour = ((local % hourMs) + hourMs) % hourMs;
  return time + hourMs - sinceHour;
}

/** The starts of the days or hours from `from` to before `to`. The first is `from` itself. */
export function listStarts(zone: string, from: number, to: number, interval: "day" | "hour"): number[] {
  const starts: number[] = [];
  for (let start = from; start < to; ) {
    starts.push(start);
    const next = interval === "hour" ? findNextHour(zone, start) : findDayStart(zone, start, -1);
    // A clock change can make a computed start equal to the one before.
    start = next > start ? next : start + hourMs;
  }
  return starts;
}

export const formatStart = formatLocalTime;
