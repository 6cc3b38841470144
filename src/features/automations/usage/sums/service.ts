import type { OrgId } from "../../../../platform/context.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { invalidField } from "../../../../platform/errors.ts";
import { listCurrentDays } from "../../rollups/index.ts";
import type { UsageGroup, UsageTotals } from "../contract.ts";
import { findDays, findEndRunId, splitRange, type TimeRange, toPeriod } from "./periods.ts";
import * as store from "./store.ts";

/** The most reports that one statement adds up on the embedded database. */
const maxRowsPerStatement = 2_500;
/** The most reports that one request adds up on the embedded database. */
const maxRows = 250_000;

type Group = Omit<UsageGroup, "name"> & { key: string };

const noSums: store.Sums = {
  runs: 0,
  reports: 0,
  unpriced: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
};

const add = (one: store.Sums, other: store.Sums): store.Sums => ({
  runs: one.runs + other.runs,
  reports: one.reports + other.reports,
  unpriced: one.unpriced + other.unpriced,
  inputTokens: Math.min(one.inputTokens + other.inputTokens, Number.MAX_SAFE_INTEGER),
  outputTokens: Math.min(one.outputTokens + other.outputTokens, Number.MAX_SAFE_INTEGER),
  costMicros: Math.min(one.costMicros + other.costMicros, Number.MAX_SAFE_INTEGER),
});

/** The cost is null when no report has a known one. */
const toTotals = ({
  reports,
  unpriced,
  inputTokens,
  outputTokens,
  costMicros,
}: Omit<store.Sums, "runs">): UsageTotals => ({
  inputTokens,
  outputTokens,
  costMicros: reports > 0 && unpriced === reports ? null : costMicros,
  priced: unpriced === 0,
});

const compareKeys = (key: string, other: string) => Buffer.compare(Buffer.from(key), Buffer.from(other));

/** Collects sums by key, and the totals of all keys. */
function createGroups() {
  const byKey = new Map<string, store.Sums>();
  let all = noSums;
  return {
    /** The key null adds to the totals. */
    add(key: string | null, sums: store.Sums): void {
      if (key === null) all = add(all, sums);
      else byKey.set(key, add(byKey.get(key) ?? noSums, sums));
    },
    cutPage({ after, limit }: Pick<UsageRequest, "after" | "limit">) {
      const rows = [...byKey]
        .filter(([key]) => after === null || compareKeys(key, after) < 0)
        .sort(([one], [other]) => compareKeys(other, one))
        .slice(0, limit)
        .map(([key, sums]): Group => ({ key, runs: sums.runs, ...toTotals(sums) }));
      return { rows, totals: toTotals(all) };
    },
    countReports: () => all.reports,
  };
}

interface UsageRequest extends store.GroupQuery, TimeRange {}

/** The sums of each key after the cursor, largest key first, and the totals of all keys. */
export async function readUsage(
  db: Db,
  orgId: OrgId,
  { groupBy, ...request }: UsageRequest,
): Promise<{ rows: Group[]; totals: UsageTotals }> {
  if (groupBy !== "run") return (await readGroups(db, orgId, { ...request, groupBy })).cutPage(request);
  if (db.kind === "postgres") return readRuns(db, orgId, request);
  const groups = createGroups();
  await addReportsInSteps(db, orgId, { ...request, groupBy }, null, [toPeriod(request)], groups);
  return groups.cutPage(request);
}

/** Adds up days whose sums are stored, and the reports of the time around them. */
async function readGroups(db: Db, orgId: OrgId, request: store.GroupQuery<store.StoredKey> & TimeRange) {
  const days = await listCurrentDays(db, orgId, findDays(request));
  const { stored, periods } = splitRange(request, days);
  const groups = createGroups();
  const pages = await Promise.all([
    stored === null ? [] : store.listStored(db, orgId, request, stored),
    db.kind !== "postgres" || periods.length === 0
      ? []
      : store.listReported(db, orgId, request, stored, periods),
  ]);
  for (const { key, ...sums } of pages.flat()) groups.add(key, sums);
  if (db.kind !== "postgres") await addReportsInSteps(db, orgId, request, stored, periods, groups);
  return groups;
}

/** With more reports than this in a period, its newest runs are found without reading all of them. */
const manyReports = 20_000;

async function readRuns(db: Db, orgId: OrgId, request: Omit<UsageRequest, "groupBy">) {
  const days = await readGroups(db, orgId, { ...request, groupBy: "day", after: null, limit: 1 });
  const { totals } = days.cutPage(request);
  // Runs that were created after the time have no reports in it.
  const bounds = [request.after, findEndRunId(request)].filter((id) => id !== null);
  const endRunId = bounds.sort()[0] ?? null;
  const hasManyReports = days.countReports() > manyReports;
  const runs = await store.listByRun(db, orgId, request, toPeriod(request), endRunId, hasManyReports);
  return { rows: runs.map(({ key, ...sums }): Group => ({ key, runs: 1, ...toTotals(sums) })), totals };
}

export const sumByRun = async (db: Db, orgId: OrgId, runId: string): Promise<UsageTotals> =>
  toTotals(await store.sumRun(db, orgId, runId));

/** Adds up in steps, newest first, because the embedded database does nothing else while it runs a statement. */
async function addReportsInSteps(
  db: Db,
  orgId: OrgId,
  request: UsageRequest,
  stored: store.StoredDays | null,
  periods: readonly store.Period[],
  groups: ReturnType<typeof createGroups>,
): Promise<void> {
  const counted = new Set<string>();
  let rows = 0;
  for (const period of periods) {
    for (let { end } = period; ; ) {
      if (rows >= maxRows)
        throw invalidField(
          ["fromAt"],
          `More than ${maxRows.toLocaleString("en-US")} reports are in this time. Ask for a shorter one with fromAt and toAt.`,
        );
      const start = await store.findStepStart(db, orgId, { start: period.start, end }, maxRowsPerStatement);
      const step = { ...period, start: start ?? period.start, end };
      for (const { key, runId, isStored, ...reports } of await store.sumPeriod(
        db,
        orgId,
        request,
        stored,
        step,
      )) {
        const place = `${runId} ${key}`;
        const sums = { ...reports, runs: isStored || counted.has(place) ? 0 : 1 };
        counted.add(place);
        groups.add(key, sums);
        groups.add(null, sums);
      }
      if (start === null) break;
      rows += maxRowsPerStatement;
      end = start;
    }
  }
}
