import type { TelemetryRecord } from "../record.ts";

/** A point of a cumulative metric. The event that follows from it is its difference to the point before. */
export interface CumulativePoint {
  /** In hexadecimal. */
  series: string;
  startedNanos: bigint;
  nanos: bigint;
  value: number;
  /** A smaller value than before means that the sender started again. */
  isMonotonic: boolean;
  /** Creates the event for what the point adds. `suffix` tells several events of one point apart. */
  toRecord(added: number, suffix?: string): TelemetryRecord;
}

/** A point as it is stored. */
export interface StoredPoint {
  nanos: bigint;
  value: number;
}

/** The stored points next to a new one, in the same series since the same start. */
export interface Neighbors {
  before: StoredPoint | undefined;
  after: StoredPoint | undefined;
}

/**
 * What a point adds to the point before it. Without a point before, its whole value counts if the sender says since
 * when it counts, and that is not before `countedFrom`.
 */
function findDifference(
  { startedNanos, isMonotonic }: Pick<CumulativePoint, "startedNanos" | "isMonotonic">,
  value: number,
  before: number | undefined,
  countedFrom: bigint,
): number {
  if (before === undefined) return startedNanos > 0n && startedNanos >= countedFrom ? value : 0;
  if (isMonotonic && value < before) return value;
  return subtract(value, before);
}

/** Millionths are exact, so that the differences of a series add up to its last value. */
const maxExact = Number.MAX_SAFE_INTEGER / 1e6;

export const subtract = (value: number, before: number): number =>
  Math.abs(value) < maxExact && Math.abs(before) < maxExact
    ? (Math.round(value * 1e6) - Math.round(before * 1e6)) / 1e6
    : value - before;

/**
 * The events for new points of one series since one start, in any order. A point that arrives late takes a part of what
 * was counted for the point after it, which is then corrected at the time of that point.
 */
export function differentiate(
  points: readonly CumulativePoint[],
  findNeighbors: (point: CumulativePoint) => Neighbors,
  countedFrom = 0n,
): TelemetryRecord[] {
  const records: TelemetryRecord[] = [];
  const sorted = [...points].sort((a, b) => (a.nanos < b.nanos ? -1 : 1));
  for (const [i, point] of sorted.entries()) {
    const { before: stored, after } = findNeighbors(point);
    const earlier = sorted[i - 1];
    const before = earlier && !(stored && stored.nanos > earlier.nanos) ? earlier : stored;
    const isLastOfGap = !(sorted[i + 1] && after && sorted[i + 1]!.nanos < after.nanos);
    const added = findDifference(point, point.value, before?.value, countedFrom);
    if (added !== 0) records.push(point.toRecord(added));
    if (!after || !isLastOfGap) continue;
    const correction = subtract(
      findDifference(point, after.value, point.value, countedFrom),
      findDifference(point, after.value, stored?.value, countedFrom),
    );
    if (correction === 0) continue;
    const record = point.toRecord(correction, "correction");
    records.push({ ...record, at: Number(after.nanos / 1_000_000n) });
  }
  return records;
}
