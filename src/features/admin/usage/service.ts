import type { Ctx } from "../../../platform/context.ts";
import { toDay } from "../../../platform/days.ts";
import { invalidField } from "../../../platform/errors.ts";
import { cutPage, defineCursor } from "../../../platform/http/index.ts";
import { maxDays, type UsageFigures, type UsageItem, type UsageQuery } from "./contract.ts";
import { addDays, countDays, listIntervals } from "./days.ts";
import * as store from "./store.ts";

export const noUsage: UsageFigures = {
  ...{ runs: 0, succeeded: 0, failures: 0, cancelled: 0, skipped: 0, costMicros: 0, inputTokens: 0 },
  ...{ outputTokens: 0, reports: 0, unpricedReports: 0, heldReports: 0 },
};

/** The last `count` days in UTC, with today. */
export function findLastDays(count: number): store.Days {
  const to = addDays(toDay(Date.now()), 1);
  return { from: addDays(to, -count), to };
}

function readPeriod({ from, to }: Pick<UsageQuery, "from" | "to">): store.Days {
  const end = addDays(toDay(to ?? Date.now()), 1);
  const start = from === undefined ? addDays(end, -30) : toDay(from);
  if (start >= end) throw invalidField(["from"], "Must not be later than `to`.");
  if (countDays(start, end) > maxDays)
    throw invalidField(["from"], `A report covers at most ${maxDays} days. Ask for a shorter time.`);
  return { from: start, to: end };
}

const groupCursor = defineCursor<store.GroupPosition>({
  write: ({ start, organizationId }) => `day ${start} ${organizationId}`.trimEnd(),
  read(text) {
    const [, start, organizationId = ""] =
      /^day (\d{4}-\d{2}-\d{2})(?: (org_[0-9a-z]{26}))?$/.exec(text) ?? [];
    return start === undefined ? undefined : { start, organizationId };
  },
});

export async function list({ db }: Ctx, query: UsageQuery) {
  const days = readPeriod(query);
  const { items, nextCursor } = query.groupBy
    ? await listGroups(db, days, query)
    : await listWholeIntervals(db, days, query);
  const totals = await store.sumAcrossOrganizations(db, days);
  return { from: days.from, to: addDays(days.to, -1), items, totals, nextCursor };
}

async function listGroups(db: Ctx["db"], days: store.Days, query: UsageQuery) {
  const after = groupCursor.read(query, null);
  const rows = await store.listGroupsAcrossOrganizations(db, days, query.interval, after, query.limit + 1);
  return cutPage(rows, query, groupCursor.write);
}

/** There are at most 400 intervals, so all of them are read for each page. */
async function listWholeIntervals(db: Ctx["db"], days: store.Days, query: UsageQuery) {
  const after = groupCursor.read(query, null);
  const found = await store.sumByIntervalAcrossOrganizations(db, days, query.interval);
  const byStart = new Map(found.map((row) => [row.start, row]));
  const rows = listIntervals(days.from, days.to, query.interval)
    .filter((start) => after === null || start < after.start)
    .slice(0, query.limit + 1)
    .map(
      (start): UsageItem => ({
        ...noUsage,
        ...byStart.get(start),
        start,
        organizationId: null,
        organizationName: null,
      }),
    );
  return cutPage(rows, query, ({ start }) => groupCursor.write({ start, organizationId: "" }));
}
