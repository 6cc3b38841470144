import fc from "fast-check";
import { expect, test } from "vitest";
import type { TelemetryRecord } from "../record.ts";
import { type CumulativePoint, differentiate, type StoredPoint, subtract } from "./difference.ts";

const createPoint = (
  nanos: bigint,
  value: number,
  startedNanos = 1n,
  isMonotonic = true,
): CumulativePoint => ({
  series: "aa",
  startedNanos,
  nanos,
  value,
  isMonotonic,
  toRecord: (added) => ({ at: Number(nanos / 1_000_000n), value: added }) as TelemetryRecord,
});

/** What is counted at each time when the points arrive in these groups. */
function count(groups: readonly (readonly CumulativePoint[])[]): Map<number, number> {
  const stored: StoredPoint[] = [];
  const sums = new Map<number, number>();
  for (const group of groups) {
    const isNew = group.filter(({ nanos }) => !stored.some((one) => one.nanos === nanos));
    const unique = [...new Map(isNew.map((point) => [point.nanos, point])).values()];
    const records = differentiate(unique, ({ nanos }) => {
      const sorted = [...stored].sort((a, b) => Number(a.nanos - b.nanos));
      return {
        before: sorted.findLast((one) => one.nanos < nanos),
        after: sorted.find((one) => one.nanos > nanos),
      };
    });
    stored.push(...unique);
    for (const { at, value } of records) sums.set(at, subtract((sums.get(at) ?? 0) + value!, 0));
  }
  for (const [at, value] of sums) if (value === 0) sums.delete(at);
  return sums;
}

const values = fc.array(
  fc.oneof(
    fc.nat(50),
    fc.integer({ min: 0, max: 5_000 }).map((n) => n / 100),
  ),
  {
    minLength: 1,
    maxLength: 12,
  },
);

test("points in any order, doubled and in any groups, add up to the same as in order", () => {
  fc.assert(
    fc.property(
      values,
      fc.boolean(),
      fc.constantFrom(0n, 1n),
      fc.infiniteStream(fc.nat()),
      (steps, isMonotonic, started, random) => {
        // Steps may also be a fall to a smaller value: the sender started again without saying so.
        const points = steps.map((value, i) =>
          createPoint(BigInt(i + 1) * 1_000_000n, value, started, isMonotonic),
        );
        const expected = count(points.map((point) => [point]));
        const next = (max: number) => (random.next().value as number) % max;
        const shuffled = [...points, ...points]
          .map((point) => ({ point, order: next(1000) }))
          .sort((a, b) => a.order - b.order)
          .map(({ point }) => point);
        const groups: CumulativePoint[][] = [];
        while (shuffled.length > 0) groups.push(shuffled.splice(0, 1 + next(4)));
        expect(count(groups)).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("a counter that only rises adds up to its last value", () => {
  const rising = [5, 5.25, 7, 7, 30].map((value, i) => createPoint(BigInt(i + 1) * 1_000_000n, value));
  const sum = [...count([[rising[3]!], [rising[0]!, rising[4]!], [rising[2]!], [rising[1]!]]).values()];
  expect(sum.reduce((a, b) => a + b, 0)).toBe(30);
});

test("without a start time, the first point only says from where to count", () => {
  const points = [40, 43].map((value, i) => createPoint(BigInt(i + 1) * 1_000_000n, value, 0n));
  expect([...count([points]).values()]).toEqual([3]);
});
