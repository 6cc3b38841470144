/**
 * What the clocks of a place show, from the time-zone data that the runtime brings. A local time is kept
 * as a number too: the milliseconds it would be since 1970 if the place were on UTC.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function findFormatter(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    // There are some 600 names, but each may be written in any mixture of small and capital letters.
    if (formatters.size >= 1_000) formatters.clear();
    formatters.set(zone, formatter);
  }
  return formatter;
}

/** An IANA name that this runtime knows. Fixed offsets such as `+01:00` are not names. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone) || zone.length > 64) return false;
  try {
    findFormatter(zone);
    return true;
  } catch {
    return false;
  }
}

const second = 1000;
const day = 86_400_000;

export function toLocalTime(zone: string, instant: number): number {
  const [, month, date, year, hour, minute, sec] = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(
    findFormatter(zone).format(instant),
  )!;
  const whole = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(date),
    Number(hour),
    Number(minute),
    Number(sec),
  );
  return whole + (((instant % second) + second) % second);
}

/** How far the place is ahead of UTC at that instant. */
export const findOffset = (zone: string, instant: number): number => toLocalTime(zone, instant) - instant;

/**
 * When a local time happens, by the rule of RFC 5545: one that is shown twice means the first time; one
 * that the clocks skip is read with the offset before the change, so it happens that much later.
 */
export function toInstant(zone: string, local: number): number {
  const before = findOffset(zone, local - day);
  const after = findOffset(zone, local + day);
  const first = local - Math.max(before, after);
  if (findOffset(zone, first) === Math.max(before, after)) return first;
  const second = local - Math.min(before, after);
  if (findOffset(zone, second) === Math.min(before, after)) return second;
  return local - before;
}

/** The first instant after `from`, up to `to`, at which the offset is no longer the one at `from`. */
export function findNextOffsetChange(zone: string, from: number, to: number): number | undefined {
  const offset = findOffset(zone, from);
  let same = from;
  while (same < to) {
    const next = Math.min(same + day, to);
    if (findOffset(zone, next) === offset) {
      same = next;
      continue;
    }
    let changed = next;
    while (changed - same > second) {
      const middle = Math.floor((same + changed) / 2 / second) * second;
      const at = middle <= same ? same + second : middle;
      if (at >= changed) break;
      if (findOffset(zone, at) === offset) same = at;
      else changed = at;
    }
    return changed;
  }
  return undefined;
}

/** `2026-03-08T03:30:00-04:00`: an instant as a person in that place writes it. */
export function formatLocalTime(zone: string, instant: number): string {
  const offset = findOffset(zone, instant);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const two = (n: number) => String(n).padStart(2, "0");
  const text = new Date(instant + offset).toISOString().slice(0, 19);
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
