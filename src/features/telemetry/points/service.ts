import type { OrganizationCtx } from "../../../platform/context.ts";
import { overhead, quotaMeter } from "../../quotas/index.ts";
import type { TelemetryRecord } from "../record.ts";
import { type CumulativePoint, differentiate, type Neighbors } from "./difference.ts";
import * as store from "./store.ts";

/**
 * Stores the points of cumulative metrics, and returns what they add. Commits with the events, so that both are stored
 * or none. Points that add nothing have no events, so points count for the quota themselves.
 */
export async function recordPoints(
  { db: tx, orgId, state }: Pick<OrganizationCtx, "db" | "orgId" | "state">,
  points: readonly CumulativePoint[],
): Promise<{ records: TelemetryRecord[]; duplicates: number }> {
  await store.lockPoints(tx, orgId);
  const unique = [...new Map(points.map((point) => [createKey(point), point])).values()];
  const rows = unique.map(toRow);
  const neighbors = new Map<CumulativePoint, Neighbors>();
  for (const { position, isKnown, ...row } of await store.listNeighbors(tx, orgId, rows))
    if (!isKnown) neighbors.set(unique[position - 1]!, toNeighbors(row));
  const isNew = unique.filter((point) => neighbors.has(point));
  const bySeries = Object.groupBy(
    isNew,
    ({ series, startedNanos }) => `${series.toString("hex")} ${startedNanos}`,
  );
  const records = Object.values(bySeries).flatMap((series) =>
    differentiate(series ?? [], (point) => neighbors.get(point)!),
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

const createKey = ({ series, startedNanos, nanos }: CumulativePoint) =>
  `${series.toString("hex")} ${startedNanos} ${nanos}`;

const toRow = ({ series, startedNanos, nanos, value }: CumulativePoint): store.PointRow => ({
  series: series.toString("hex"),
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
