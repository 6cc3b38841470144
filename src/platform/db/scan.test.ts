import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "../ids.ts";
import { type ListSource, scan, scanBudget, scanStep } from "./index.ts";

interface Row {
  id: string;
}

/** A list in memory that records the size of each step. */
function createSource(ids: readonly string[], isMatch: (id: string) => boolean, filtered = true) {
  const steps: number[] = [];
  const source: ListSource<Row> = {
    filtered,
    examine: async (after, count, wanted) => {
      steps.push(count);
      const next = ids.filter((id) => id < after).slice(0, count);
      const rows = next.filter(isMatch).slice(0, wanted);
      return { rows: rows.map((id) => ({ id })), examined: next.length, last: next.at(-1) ?? null };
    },
  };
  return { source, steps };
}

const newest = (count: number) => Array.from({ length: count }, () => newId("row")).reverse();

describe("reading a list with a filter", () => {
  test("returns each match once and in order, for any page size and any number of matches", async () => {
    const ids = newest(2_600);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: ids.length }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.nat({ max: ids.length - 1 }), { maxLength: 300 }),
        async (length, limit, places) => {
          const list = ids.slice(0, length);
          const wanted = new Set<string>(places.map((place) => ids[place]!));
          const expected = list.filter((id) => wanted.has(id));
          const { source, steps } = createSource(list, (id) => wanted.has(id));
          const seen: string[] = [];
          for (let after: string | null = "~"; after !== null; ) {
            const { rows, resumeAfter }: { rows: Row[]; resumeAfter: string | null } = await scan(
              source,
              after,
              limit + 1,
            );
            const items = rows.slice(0, limit);
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
    const { source, steps } = createSource(newest(5_000), () => true, false);
    expect((await scan(source, "~", 51)).rows).toHaveLength(51);
    expect(steps).toEqual([101]);
  });
});
