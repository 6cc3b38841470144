import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CronError, parseCron } from "./cron.ts";
import { findNextOccurrence, listNextOccurrences, type Schedule, ScheduleInput } from "./schedule.ts";
import { formatLocalTime, isTimeZone, toInstant, toLocalTime } from "./zone.ts";

const cron = (expression: string, timezone: string): Schedule => ({ kind: "cron", expression, timezone });
const daily = (hour: number, minute: number, timezone: string): Schedule => ({
  kind: "daily",
  hour,
  minute,
  timezone,
});
const shown = (schedule: Schedule, after: string, count: number) =>
  listNextOccurrences(schedule, Date.parse(after), count).map((at) =>
    formatLocalTime("timezone" in schedule ? schedule.timezone : "UTC", at),
  );

/** Zones whose clocks do unusual things, and instants near which they do them. */
const changes = [
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  // Half an hour, not an hour.
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  // At midnight: the day begins at one.
  ["America/Santiago", "2026-09-06T04:00:00Z"],
  ["America/Santiago", "2026-04-05T03:00:00Z"],
  ["Africa/Cairo", "2026-04-23T22:00:00Z"],
  // A whole day left out.
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  // Backwards in summer.
  ["Africa/Casablanca", "2026-02-15T02:00:00Z"],
  // No changes, odd offsets.
  ["Asia/Kathmandu", "2026-06-01T00:00:00Z"],
  ["UTC", "2026-06-01T00:00:00Z"],
] as const;

describe("a time of day happens once a day", () => {
  test("a time that the clocks skip happens later by the length of the change", () => {
    expect(shown(daily(2, 30, "America/New_York"), "2026-03-07T12:00:00Z", 3)).toEqual([
      "2026-03-08T03:30:00-04:00",
      "2026-03-09T02:30:00-04:00",
      "2026-03-10T02:30:00-04:00",
    ]);
    expect(shown(daily(2, 15, "Australia/Lord_Howe"), "2026-10-03T12:00:00Z", 2)).toEqual([
      "2026-10-04T02:45:00+11:00",
      "2026-10-05T02:15:00+11:00",
    ]);
    expect(shown(daily(0, 30, "America/Santiago"), "2026-09-05T12:00:00Z", 2)).toEqual([
      "2026-09-06T01:30:00-03:00",
      "2026-09-07T00:30:00-03:00",
    ]);
  });

  test("a time that the clocks show twice happens the first time", () => {
    expect(shown(daily(1, 30, "America/New_York"), "2026-10-31T12:00:00Z", 2)).toEqual([
      "2026-11-01T01:30:00-04:00",
      "2026-11-02T01:30:00-05:00",
    ]);
  });

  test("a weekly schedule runs on its days only", () => {
    const weekly: Schedule = {
      kind: "weekly",
      daysOfWeek: [0, 3],
      hour: 2,
      minute: 30,
      timezone: "Europe/Berlin",
    };
    expect(shown(weekly, "2026-03-27T12:00:00Z", 3)).toEqual([
      "2026-03-29T03:30:00+02:00",
      "2026-04-01T02:30:00+02:00",
      "2026-04-05T02:30:00+02:00",
    ]);
  });

  test("an interval pattern follows elapsed time through repeated and skipped hours", () => {
    expect(shown(cron("*/30 * * * *", "America/New_York"), "2026-11-01T05:10:00Z", 4)).toEqual([
      "2026-11-01T01:30:00-04:00",
      "2026-11-01T01:00:00-05:00",
      "2026-11-01T01:30:00-05:00",
      "2026-11-01T02:00:00-05:00",
    ]);
    expect(shown(cron("0 * * * *", "America/New_York"), "2026-03-08T05:30:00Z", 3)).toEqual([
      "2026-03-08T01:00:00-05:00",
      "2026-03-08T03:00:00-04:00",
      "2026-03-08T04:00:00-04:00",
    ]);
  });

  test("an interval pattern that matches decades later is found at the offset of that day", () => {
    const found = (expression: string, zone: string, count: number) =>
      shown(cron(expression, zone), "2026-01-01T00:00:00Z", count);
    expect(found("5 */23 29 2 */7", "America/New_York", 4)).toEqual([
      "2032-02-29T00:05:00-05:00",
      "2032-02-29T23:05:00-05:00",
      "2060-02-29T00:05:00-05:00",
      "2060-02-29T23:05:00-05:00",
    ]);
    // In the night of a change, and in an hour that the clocks skip in other years.
    expect(found("*/30 1-3 29 3 */7", "Europe/Berlin", 5)).toEqual([
      "2026-03-29T01:00:00+01:00",
      "2026-03-29T01:30:00+01:00",
      "2026-03-29T03:00:00+02:00",
      "2026-03-29T03:30:00+02:00",
      "2037-03-29T01:00:00+01:00",
    ]);
  });

  test("a pattern with every minute of the day is computed within seconds, across a repeated hour", () => {
    const from = Date.parse("2026-10-24T23:30:00Z");
    const began = performance.now();
    const found = listNextOccurrences(cron("0-59 0-23 * * *", "Europe/Berlin"), from, 300);
    expect(performance.now() - began).toBeLessThan(8_000);
    // Once a day each: the repeated hour is passed over.
    expect(found.at(-1)).toBe(from + 360 * 60_000);
    expect(found.every((at, i) => at > (found[i - 1] ?? from))).toBe(true);
  });

  test("a schedule of the kind `once` has one occurrence", () => {
    const once: Schedule = { kind: "once", at: 1000, timezone: "UTC" };
    expect(findNextOccurrence(once, 999)).toBe(1000);
    expect(findNextOccurrence(once, 1000)).toBeUndefined();
    expect(findNextOccurrence({ kind: "manual" }, 0)).toBeUndefined();
  });

  test("a leap day can be eight years away, and a leap day on a Sunday forty", () => {
    expect(shown(cron("0 0 29 2 *", "UTC"), "2096-03-01T00:00:00Z", 1)).toEqual([
      "2104-02-29T00:00:00+00:00",
    ]);
    expect(shown(cron("0 0 29 2 */7", "UTC"), "2088-03-01T00:00:00Z", 1)).toEqual([
      "2128-02-29T00:00:00+00:00",
    ]);
  });
});

describe("a cron expression", () => {
  test.each([
    ["5 4 * * *", { minutes: [5], hours: [4] }],
    ["*/20 9-11 * * *", { minutes: [0, 20, 40], hours: [9, 10, 11] }],
    ["5/20 1,3 * * *", { minutes: [5, 25, 45], hours: [1, 3] }],
    ["0 0 1-31/10 jan,JUL mon-fri", { daysOfMonth: new Set([1, 11, 21, 31]), months: new Set([1, 7]) }],
    ["0 0 * * 7", { daysOfWeek: new Set([0]) }],
    ["@hourly", { minutes: [0], isInterval: true }],
    ["0 12 ? * sun", { daysOfWeek: new Set([0]), eitherDay: false }],
    ["0 12 1 * sun", { eitherDay: true }],
  ])("%s is parsed", (expression, pattern) => {
    expect(parseCron(expression)).toMatchObject(pattern);
  });

  test.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 8",
    "5-1 * * * *",
    "*/0 * * * *",
    "*/99 * * * *",
    "a * * * *",
    "1,,2 * * * *",
    "1-2-3 * * * *",
    "-1 * * * *",
    "1.5 * * * *",
    "* * * foo *",
    "@reboot",
    "0 0 30 2 *",
    "0 0 31 4,6,9,11 *",
  ])("%j is refused with a sentence", (expression) => {
    expect(() => parseCron(expression)).toThrow(/[a-z]{3}.*\.$/);
  });
});

describe("a schedule in a request", () => {
  const parse = (schedule: unknown) => ScheduleInput.safeParse(schedule);

  test("may have a local time, which is read in its time zone", () => {
    expect(parse({ kind: "once", at: "2026-03-08T09:30", timezone: "America/New_York" }).data).toEqual({
      kind: "once",
      at: Date.parse("2026-03-08T13:30:00Z"),
      timezone: "America/New_York",
    });
    expect(parse({ kind: "once", at: "2026-02-30T09:30", timezone: "UTC" }).success).toBe(false);
  });

  test.each(["Mars/Base", "+01:00", "", "utc offset", "x".repeat(100)])("%j is no time zone", (timezone) => {
    expect(isTimeZone(timezone)).toBe(false);
    expect(parse({ kind: "daily", hour: 1, minute: 1, timezone }).success).toBe(false);
  });

  test.each([
    { kind: "daily", hour: 24, minute: 0, timezone: "UTC" },
    { kind: "daily", hour: 1, timezone: "UTC" },
    { kind: "weekly", daysOfWeek: [], hour: 1, minute: 1, timezone: "UTC" },
    { kind: "weekly", daysOfWeek: [1, 1], hour: 1, minute: 1, timezone: "UTC" },
    { kind: "weekly", daysOfWeek: [7], hour: 1, minute: 1, timezone: "UTC" },
    { kind: "cron", expression: "nonsense", timezone: "UTC" },
    { kind: "hourly" },
    { kind: "manual", timezone: "UTC" },
  ])("%j is refused", (schedule) => {
    expect(parse(schedule).success).toBe(false);
  });
});

const minute = 60_000;
const zones = fc.constantFrom(...changes);
const somewhere = zones.chain(([zone, at]) =>
  fc.record({
    zone: fc.constant(zone),
    from: fc.integer({ min: -2 * 1440, max: 1440 }).map((minutes) => Date.parse(at) + minutes * minute),
  }),
);
const field = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }).map((list) => list.join(","));
const step = fc.constantFrom("*", "*/5", "*/7", "*/20", "*/45");

describe("for any pattern, zone and time near a change of the clocks", () => {
  test("an interval pattern matches exactly the minutes at which the clocks show a match", () => {
    fc.assert(
      fc.property(somewhere, step, fc.oneof(step, field(0, 23)), ({ zone, from }, minutes, hours) => {
        const expression = `${minutes} ${hours.startsWith("*/") ? hours.replace(/\d+/, (n) => String(Number(n) % 23 || 1)) : hours} * * *`;
        const pattern = parseCron(expression);
        const expected: number[] = [];
        for (let at = Math.floor(from / minute) * minute + minute; at <= from + 1440 * minute; at += minute) {
          const clock = new Date(toLocalTime(zone, at));
          if (pattern.hours.includes(clock.getUTCHours()) && pattern.minutes.includes(clock.getUTCMinutes()))
            expected.push(at);
        }
        const found = listNextOccurrences(cron(expression, zone), from, expected.length + 1);
        expect(found.filter((at) => at <= from + 1440 * minute)).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test("a pattern of times of day gives each local time of each day once, including skipped ones", () => {
    fc.assert(
      fc.property(somewhere, field(0, 59), field(0, 23), ({ zone, from }, minutes, hours) => {
        const until = from + 3 * 1440 * minute;
        const expected = new Set<number>();
        // Every local minute there could be, read by the rule for reading local times.
        const first = Math.floor(toLocalTime(zone, from) / 86_400_000) - 2;
        for (let day = first; day < first + 8; day++) {
          for (const h of hours.split(",").map(Number))
            for (const m of minutes.split(",").map(Number)) {
              const at = toInstant(zone, day * 86_400_000 + h * 3_600_000 + m * minute);
              if (at > from && at <= until) expected.add(at);
            }
        }
        const sorted = [...expected].sort((a, b) => a - b);
        const found = listNextOccurrences(cron(`${minutes} ${hours} * * *`, zone), from, sorted.length + 1);
        expect(found.filter((at) => at <= until)).toEqual(sorted);
      }),
      { numRuns: 300 },
    );
  });

  test("a local time converts to UTC and back unchanged, unless the clocks skip it", () => {
    fc.assert(
      fc.property(somewhere, ({ zone, from }) => {
        const local = toLocalTime(zone, from);
        const at = toInstant(zone, local);
        expect(toLocalTime(zone, at)).toBe(local);
        // Shown twice, it is the first.
        expect(at).toBeLessThanOrEqual(from);
        expect(at).toBeGreaterThanOrEqual(from - 2 * 3_600_000);
      }),
    );
  });

  test("the next occurrence is always later than the start time", () => {
    fc.assert(
      fc.property(somewhere, field(0, 59), fc.oneof(step, field(0, 23)), ({ zone, from }, minutes, hours) => {
        const schedule = cron(`${minutes} ${/^\*\/(45|2\d)/.test(hours) ? "*/9" : hours} * * *`, zone);
        const next = findNextOccurrence(schedule, from)!;
        expect(next).toBeGreaterThan(from);
        expect(findNextOccurrence(schedule, next - 1)).toBe(next);
        expect(findNextOccurrence(schedule, next)).toBeGreaterThan(next);
      }),
    );
  });
});

test.each(["__proto__", "constructor", "toString", "@__proto__", "hasOwnProperty"])(
  "%s is refused like any other text that is not a cron expression",
  (expression) => {
    expect(() => parseCron(expression)).toThrow(CronError);
    const parsed = ScheduleInput.safeParse({ kind: "cron", expression, timezone: "UTC" });
    expect(parsed.success).toBe(false);
  },
);
