import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createLine } from "./line.ts";

test("functions run one after another, in the order of the calls, also when some fail", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ turns: fc.nat(3), pause: fc.nat(2), fails: fc.boolean() }), { maxLength: 20 }),
      async (works) => {
        const line = createLine();
        const log: string[] = [];
        const results: Promise<PromiseSettledResult<number>[]>[] = [];
        for (const [i, { turns, pause, fails }] of works.entries()) {
          const work = async () => {
            log.push(`${i} starts`);
            for (let n = 0; n < turns; n++) await turn();
            log.push(`${i} ends`);
            if (fails) throw new Error(String(i));
            return i;
          };
          results.push(Promise.allSettled([line(work)]));
          for (let n = 0; n < pause; n++) await turn();
        }
        const settled = (await Promise.all(results)).flat();
        expect(settled.map(({ status }) => status === "rejected")).toEqual(works.map(({ fails }) => fails));
        expect(log).toEqual(works.flatMap((_, i) => [`${i} starts`, `${i} ends`]));
      },
    ),
    { numRuns: 50 },
  ));
