import { describe, expect, test } from "vitest";
import { forecastMonth } from "./forecast.ts";

const day = 86_400_000;
const noon = Date.UTC(2026, 10, 16, 12);
const listDays = (first: number, last: number, costMicros: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => ({
    day: `2026-11-${String(first + i).padStart(2, "0")}`,
    costMicros,
  }));

describe("the forecast of a month", () => {
  test("adds the average of the last seven complete days for the rest of the month", () => {
    const days = [...listDays(1, 8, 90), ...listDays(9, 15, 100), ...listDays(16, 16, 7)];
    const month = forecastMonth({ days, firstDay: "2026-09-01", now: noon }, null);
    const spent = 8 * 90 + 7 * 100 + 7;
    expect(month).toEqual({
      ...{ month: "2026-11", endsAt: Date.UTC(2026, 11, 1), spentMicros: spent, budgetMicros: null },
      ...{ forecastMicros: spent + 14.5 * 100, forecastDays: 7, budgetReachedAt: null },
    });
  });

  test("counts days without a cost as 0", () => {
    const month = forecastMonth({ days: listDays(15, 15, 700), firstDay: "2026-09-01", now: noon }, null);
    expect(month.forecastMicros).toBe(700 + 14.5 * 100);
  });

  test("averages the days since the first cost, and is null while there are fewer than three", () => {
    const forecastSince = (first: number) =>
      forecastMonth({ days: listDays(first, 15, 60), firstDay: `2026-11-${first}`, now: noon }, null);
    expect(forecastSince(13)).toMatchObject({ forecastDays: 3, forecastMicros: 180 + 14.5 * 60 });
    expect(forecastSince(14)).toMatchObject({ forecastDays: 2, forecastMicros: null });
    const none = { month: "2026-11", spentMicros: 0, forecastMicros: null, forecastDays: 0 };
    expect(forecastMonth({ days: [], firstDay: null, now: noon }, 5)).toMatchObject(none);
  });

  test("leaves out costs of the month before, but averages over its days", () => {
    const now = Date.UTC(2026, 10, 2, 0);
    const days = [
      { day: "2026-10-30", costMicros: 70 },
      { day: "2026-11-01", costMicros: 7 },
    ];
    const month = forecastMonth({ days, firstDay: "2026-01-01", now }, null);
    expect(month.spentMicros).toBe(7);
    expect(month.forecastMicros).toBe(7 + 29 * 11);
  });

  test("says when a budget will be reached, and only if it will be within the month", () => {
    const input = { days: listDays(9, 15, 100), firstDay: "2026-11-09", now: noon };
    expect(forecastMonth(input, 1_000).budgetReachedAt).toBe(noon + 3 * day);
    expect(forecastMonth(input, 5_000).budgetReachedAt).toBeNull();
    expect(forecastMonth(input, 700).budgetReachedAt).toBeNull();
  });
});
