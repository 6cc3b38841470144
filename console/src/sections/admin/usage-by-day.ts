import { useRead } from "../../lib/queries.ts";

const dayMs = 24 * 3_600_000;

/** The usage of the last days, one item a day. The range begins at a day of UTC, so that it stays the same all day. */
export function useUsageByDay(days: number) {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return useRead(
    "GET /v1/admin/usage",
    { query: { from: today - (days - 1) * dayMs, interval: "day", limit: 100 } },
    { everyMs: 30_000 },
  );
}
