import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { invalidField } from "../../../platform/errors.ts";
import type { UsageGroup, UsageTotals, usageQuery } from "./contract.ts";
import * as store from "./store.ts";

/** The most reports that one statement adds up. */
const maxRowsPerStatement = 2_500;
/** The most reports that one request adds up. */
const maxRows = 250_000;

type Group = Omit<UsageGroup, "name"> & { key: string };
type Key = (typeof usageQuery)["_output"]["groupBy"];

/** `known` is false while every report had no known cost. */
type Sum = UsageTotals & { costMicros: number; known: boolean };
const createEmptySum = (): Sum => ({
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  priced: true,
  known: false,
});
const toTotals = ({ known, ...sum }: Sum): UsageTotals =>
  known || sum.priced ? sum : { ...sum, costMicros: null };

const isBefore = (key: string, other: string) => Buffer.compare(Buffer.from(key), Buffer.from(other)) < 0;

/** The sums of each key after the cursor, largest key first, and the totals of all keys. */
export async function readUsage(
  db: Db,
  orgId: OrgId,
  groupBy: Key,
  filter: store.UsageFilter,
  after: string | null,
  limit: number,
): Promise<{ rows: Group[]; totals: UsageTotals }> {
  if (db.kind === "postgres") {
    // PostgreSQL adds up millions of reports in parallel with other work, and cancels a statement that takes too long.
    const [rows, totals] = await Promise.all([
      store.list(db, orgId, groupBy, filter, after, limit),
      store.totals(db, orgId, filter),
    ]);
    return { rows, totals };
  }
  const { groups, totals } = await sumInPeriods(db, orgId, groupBy, filter);
  return { rows: after === null ? groups : groups.filter(({ key }) => isBefore(key, after)), totals };
}

/** Adds up in steps, newest first, because the embedded database does nothing else while it runs a statement. */
async function sumInPeriods(
  db: Db,
  orgId: OrgId,
  groupBy: Key,
  filter: store.UsageFilter,
): Promise<{ groups: Group[]; totals: UsageTotals }> {
  const found = new Map<string, { runs: Set<string>; used: Sum }>();
  const totals = createEmptySum();
  let end: string | null = null;
  for (let rows = 0; ; rows += maxRowsPerStatement) {
    if (rows >= maxRows)
      throw invalidField(
        ["fromAt"],
        `More than ${maxRows.toLocaleString("en-US")} reports are in this time. Ask for a shorter one with fromAt and toAt.`,
      );
    const start: string | null = await store.findPeriodStart(db, orgId, filter, end, maxRowsPerStatement);
    for (const { key, runId, ...used } of await store.sumPeriod(db, orgId, groupBy, filter, {
      start,
      end,
    })) {
      const group = found.get(key) ?? { runs: new Set(), used: createEmptySum() };
      found.set(key, group);
      group.runs.add(runId);
      add(group.used, used);
      add(totals, used);
    }
    if (start === null) break;
    end = start;
  }
  const groups = [...found].map(([key, { runs, used }]) => ({ key, runs: runs.size, ...toTotals(used) }));
  groups.sort((one, other) => Buffer.compare(Buffer.from(other.key), Buffer.from(one.key)));
  return { groups, totals: toTotals(totals) };
}

function add(sum: Sum, { inputTokens, outputTokens, costMicros, priced }: UsageTotals): void {
  sum.inputTokens = Math.min(sum.inputTokens + inputTokens, Number.MAX_SAFE_INTEGER);
  sum.outputTokens = Math.min(sum.outputTokens + outputTokens, Number.MAX_SAFE_INTEGER);
  sum.costMicros = Math.min(sum.costMicros + (costMicros ?? 0), Number.MAX_SAFE_INTEGER);
  sum.known ||= costMicros !== null;
  sum.priced &&= priced;
}
