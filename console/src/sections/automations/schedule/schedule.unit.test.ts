import type { AutomationSchedule } from "@signalbox/client";
import { describe, expect, test } from "vitest";
import {
  createScheduleForm,
  describeSchedule,
  findExpression,
  toLocalText,
  toSchedule,
  toScheduleForm,
} from "./schedule.ts";

const timezone = "Europe/Berlin";

describe("the schedule builder", () => {
  test.each<[string, AutomationSchedule, string]>([
    ["by hand", { kind: "manual" }, "By hand"],
    ["minutes", { kind: "cron", expression: "*/15 * * * *", timezone }, "Every 15 minutes"],
    ["each minute", { kind: "cron", expression: "* * * * *", timezone }, "Every minute"],
    ["hours", { kind: "cron", expression: "5 */6 * * *", timezone }, "Every 6 hours at :05"],
    ["each hour", { kind: "cron", expression: "30 * * * *", timezone }, "Every hour at :30"],
    ["daily", { kind: "daily", hour: 9, minute: 5, timezone }, "Every day, 09:05"],
    [
      "weekdays",
      { kind: "weekly", daysOfWeek: [1, 2, 3, 4, 5], hour: 14, minute: 30, timezone },
      "Weekdays, 14:30",
    ],
    ["weekly", { kind: "weekly", daysOfWeek: [0, 5], hour: 14, minute: 0, timezone }, "Sun, Fri, 14:00"],
    ["monthly", { kind: "cron", expression: "0 7 1 * *", timezone }, "Day 1 of the month, 07:00"],
    [
      "other cron",
      { kind: "cron", expression: "45 8,16 * * mon-fri", timezone },
      "Weekdays, 08:45 and 16:45",
    ],
    [
      "unequal steps stay cron",
      { kind: "cron", expression: "*/7 * * * *", timezone },
      "Every day, every 7 minutes from :00 to :56 of each hour",
    ],
    ["cron without words", { kind: "cron", expression: "0 9 */2 * mon", timezone }, "cron 0 9 */2 * mon"],
  ])("shows and returns a schedule unchanged: %s", (_, schedule, words) => {
    expect(toSchedule(toScheduleForm(schedule, "UTC"))).toEqual(schedule);
    expect(describeSchedule(schedule)).toBe(words);
  });

  test("shows the expression beside the words, and not twice", () => {
    const find = (expression: string) => findExpression({ kind: "cron", expression, timezone });
    expect(find("45 8,16 * * mon-fri")).toBe("45 8,16 * * mon-fri");
    expect(find("*/15 * * * *")).toBeUndefined();
    expect(find("0 9 */2 * mon")).toBeUndefined();
    expect(findExpression({ kind: "manual" })).toBeUndefined();
  });

  test("shows a single date as the clocks of its zone show it", () => {
    const at = Date.UTC(2026, 6, 1, 7, 30);
    expect(toLocalText(at, timezone)).toBe("2026-07-01T09:30");
    expect(toSchedule(toScheduleForm({ kind: "once", at, timezone }, "UTC"))).toEqual({
      kind: "once",
      at: "2026-07-01T09:30",
      timezone,
    });
  });

  test("sends the days of a week in order", () => {
    const form = { ...createScheduleForm(timezone), kind: "weekly" as const, days: [5, 1] };
    expect(toSchedule(form)).toMatchObject({ daysOfWeek: [1, 5] });
  });

  test("a time that was cleared is not midnight", () => {
    const form = { ...createScheduleForm(timezone), kind: "daily" as const, time: "" };
    expect(toSchedule(form)).toEqual({ kind: "daily", hour: Number.NaN, minute: Number.NaN, timezone });
  });
});
