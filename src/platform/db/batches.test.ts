import fc from "fast-check";
import { expect, test } from "vitest";
import { readBatches } from "./index.ts";

const maxBytes = 1_000;

test("the batches of an export have every row once and in order, and few rows are examined that do not fit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(1, 100, 400, 1_000, 5_000), { maxLength: 2_000 }),
      async (sizes) => {
        let examined = 0;
        const read = async (after: number, count: number) => {
          const candidates = sizes.slice(after, after + count);
          examined += candidates.length;
          let bytes = 0;
          const end = candidates.findIndex((size, place) => {
            bytes += size;
            return bytes > maxBytes && place > 0;
          });
          const isFull = end >= 0;
          const rows = isFull ? candidates.slice(0, end) : candidates;
          const next = after + rows.length;
          return { rows, isFull, next: next < sizes.length ? next : undefined };
        };
        const found: number[] = [];
        for await (const rows of readBatches(0, read)) {
          expect(rows.length === 1 || rows.reduce<number>((sum, size) => sum + size, 0) <= maxBytes).toBe(
            true,
          );
          found.push(...rows);
        }
        expect(found).toEqual(sizes);
        // A full batch examines at most twice as many rows as the batch before it returned.
        expect(examined).toBeLessThanOrEqual(500 + 4 * sizes.length);
      },
    ),
  );
});

test("a batch is read when the one before it was taken", async () => {
  let reads = 0;
  const batches = readBatches(0, async (after) => ({ rows: [++reads], next: after + 1, isFull: false }));
  expect(reads).toBe(0);
  await batches.next();
  await batches.next();
  expect(reads).toBe(2);
  await batches.return();
});
