import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "../ids.ts";
import { type ListSource, pageBytes, scan, scanBudget, scanStep } from "./index.ts";

interface Row {
  id: string;
}

/** A list in memory that records the size of each step. */
function createSource(
  ids: readonly string[],
  isMatch: (id: string) => boolean,
  { filtered = true, rowBytes = 0 } = {},
) {
  const steps: number[] = [];
  const source: ListSource<Row> = {
    filtered,
    examine: async (after, count, space) => {
      steps.push(count);
      const next = ids.filter((id) => id < after).slice(0, count);
      const matching = next.filter(isMatch).slice(0, space.rows);
      const fits = (_: string, place: number) =>
        (place + 1) * rowBytes <= space.bytes || (space.isEmpty && place === 0);
      const rows = matching.filter(fits);
      return {
        rows: rows.map((id) => ({ id })),
        examined: next.length,
        last: next.at(-1) ?? null,
        bytes: rows.length * rowBytes,
        isFull: rows.length < matching.length,
      };
    },
  };
  return { source, steps };
}

const newest = (count: number) => Array.from({ length: count }, () => newId("row")).reverse();

describe("reading a list with a filter", () => {
  test("returns each match once and in order, for any page size, any number of matches and any size of them", async () => {
    const ids = newest(2_600);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: ids.length }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.nat({ max: ids.length - 1 }), { maxLength: 300 }),
        fc.constantFrom(0, 1, pageBytes / 64, pageBytes / 3, pageBytes, pageBytes + 1),
        async (length, limit, places, rowBytes) => {
          const list = ids.slice(0, length);
          const wanted = new Set<string>(places.map((place) => ids[place]!));
          const expected = list.filter((id) => wanted.has(id));
          const { source, steps } = createSource(list, (id) => wanted.has(id), { rowBytes });
          const seen: string[] = [];
          for (let after: string | null = "~"; after !== null; ) {
            const { rows, resumeAfter }: { rows: Row[]; resumeAfter: string | null } = await scan(
              source,
              after,
              limit + 1,
            );
            const items = rows.slice(0, limit);
            if (rows.length > 1) expect(rows.length * rowBytes).toBeLessThanOrEqual(pageBytes);
            seen.push(...items.map(({ id }) => id));
            after = rows.length > limit ? items.at(-1)!.id : resumeAfter;
          }
          expect(seen).toEqual(expected);
          expect(Math.max(...steps)).toBeLessThanOrEqual(scanStep);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("stops when its budget is used up, and returns where to continue", async () => {
    const ids = newest(scanBudget + 5_000);
    const oldest = ids.at(-1)!;
    const { source, steps } = createSource(ids, (id) => id === oldest);
    const first = await scan(source, "~", 51);
    expect(first.rows).toEqual([]);
    const examined = steps.reduce((sum, step) => sum + step, 0);
    expect(examined).toBeLessThan(scanBudget + scanStep);
    expect(first.resumeAfter).toBe(ids[examined - 1]);
    const second = await scan(source, first.resumeAfter!, 51);
    expect(second).toEqual({ rows: [{ id: oldest }], resumeAfter: null });
  });

  test("reads no more than a page when everything matches", async () => {
    const { source, steps } = createSource(newest(5_000), () => true, { filtered: false });
    expect((await scan(source, "~", 51)).rows).toHaveLength(51);
    expect(steps).toEqual([101]);
  });
});
