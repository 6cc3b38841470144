import type { OrganizationCtx } from "../../../platform/context.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import type { TelemetryRecord } from "../record.ts";
import { type CumulativePoint, differentiate, type Neighbors } from "./difference.ts";
import * as store from "./store.ts";

/**
 * Stores the points of cumulative metrics, and returns what they add. Commits with the events, so that both are stored
 * or none. Points that add nothing have no events, so points count for the quota themselves. Nothing from before
 * `countedFrom` counts, in milliseconds since 1970: the organization had switched telemetry off.
 */
export async function recordPoints(
  { db: tx, orgId, state }: Pick<OrganizationCtx, "db" | "orgId" | "state">,
  given: readonly CumulativePoint[],
  countedFrom: number | null,
): Promise<{ records: TelemetryRecord[]; duplicates: number }> {
  const countedFromNanos = BigInt(countedFrom ?? 0) * 1_000_000n;
  const points = given.filter(({ nanos }) => nanos >= countedFromNanos);
  await store.lockPoints(tx, orgId);
  const unique = [...new Map(points.map((point) => [createKey(point), point])).values()];
  const rows = unique.map(toRow);
  const neighbors = new Map<CumulativePoint, Neighbors>();
  for (const { position, isKnown, ...row } of await store.listNeighbors(tx, orgId, rows, countedFrom ?? 0))
    if (!isKnown) neighbors.set(unique[position - 1]!, toNeighbors(row));
  const isNew = unique.filter((point) => neighbors.has(point));
  const bySeries = Object.groupBy(isNew, ({ series, startedNanos }) => `${series} ${startedNanos}`);
  const records = Object.values(bySeries).flatMap((series) =>
    differentiate(series ?? [], (point) => neighbors.get(point)!, countedFromNanos),
  );
  if (isNew.length > 0) {
    const bytes = isNew.length * overhead.telemetryPoint;
    const meter = state.get(quotaMeter);
    await meter.check(tx, orgId, "telemetry_storage", bytes);
    await store.insert(tx, orgId, isNew.map(toRow));
    tx.afterCommit(() => meter.add(orgId, "telemetry_storage", bytes));
  }
  return { records, duplicates: points.length - isNew.length };
}

const createKey = ({ series, startedNanos, nanos }: CumulativePoint) => `${series} ${startedNanos} ${nanos}`;

const toRow = ({ series, startedNanos, nanos, value }: CumulativePoint): store.PointRow => ({
  series,
  startedNanos: String(startedNanos),
  nanos: String(nanos),
  value,
});

const toNeighbors = (row: Omit<store.NeighborRow, "position" | "isKnown">): Neighbors => ({
  before: toPoint(row.beforeNanos, row.beforeValue),
  after: toPoint(row.afterNanos, row.afterValue),
});

const toPoint = (nanos: string | null, value: number | null) =>
  nanos === null || value === null ? undefined : { nanos: BigInt(nanos), value };
