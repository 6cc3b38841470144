import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTogether } from "./together.ts";

/** Statements that end when the test says so. */
function stage({ maxItems = 3, maxSize = 100, bad = new Set<string>() } = {}) {
  const sent: { items: readonly string[]; land(): void }[] = [];
  const go = createTogether<string, string>({
    send: (items) =>
      new Promise((resolve, reject) => {
        const land = () =>
          items.some((item) => bad.has(item))
            ? reject(new Error(items.join()))
            : resolve(items.map((item) => `${item}!`));
        sent.push({ items, land });
      }),
    failed: (error) => {
      throw error;
    },
    keyOf: (item) => item[0]!,
    sizeOf: (item) => item.length,
    maxItems,
    maxSize,
  });
  return { sent, go, items: () => sent.map(({ items }) => items.join()) };
}

describe("what comes at the same moment", () => {
  test("travels together, the rest when that has landed", async () => {
    const { sent, go, items } = stage();
    const all = ["a", "b", "c", "d"].map(go);
    await turn();
    expect(items()).toEqual(["a,b,c"]);
    all.push(go("e"));
    await turn();
    expect(sent).toHaveLength(1);
    sent[0]!.land();
    await turn();
    expect(items()).toEqual(["a,b,c", "d,e"]);
    sent[1]!.land();
    expect(await Promise.all(all)).toEqual(["a!", "b!", "c!", "d!", "e!"]);
  });

  test("but two of one key follow each other, and what is too large goes by itself", async () => {
    const { sent, go, items } = stage({ maxSize: 4 });
    const all = ["a1", "a2", "b1", "large", "c1"].map(go);
    for (let flight = 0; flight < 3; flight++) {
      await turn();
      sent[flight]!.land();
    }
    expect(items()).toEqual(["a1,b1", "a2,c1", "large"]);
    expect(await Promise.all(all)).toHaveLength(5);
  });

  test("is sent before those of the last statement are answered", async () => {
    const { sent, go, items } = stage();
    const order: string[] = [];
    const first = go("a").then(() => order.push("answered", items().join(" ")));
    await turn();
    void go("b");
    sent[0]!.land();
    await first;
    expect(order).toEqual(["answered", "a b"]);
  });

  test("leaves half of many to the next one, while those of the last come again", async () => {
    const { sent, go } = stage({ maxItems: 64 });
    // A key for each.
    const names = Array.from({ length: 60 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    for (const name of names.slice(0, 10)) void go(name);
    await turn();
    expect(sent[0]!.items).toHaveLength(10);
    for (const name of names.slice(10, 40)) void go(name);
    sent[0]!.land();
    await turn();
    expect(sent[1]!.items).toHaveLength(20);
    for (const name of names.slice(40, 50)) void go(name);
    sent[1]!.land();
    await turn();
    expect(sent[2]!.items).toHaveLength(20);
  });

  test("fails for its own sake alone", async () => {
    const { sent, go } = stage({ bad: new Set(["b"]) });
    const all = Promise.allSettled(["a", "b", "c"].map(go));
    for (let flight = 0; flight < 4; flight++) {
      await turn();
      sent[flight]!.land();
    }
    expect((await all).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("is answered once and with its own answer, whatever comes when", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.stringMatching(/^[a-d][a-z]{0,3}$/), fc.boolean(), fc.boolean()), {
          maxLength: 40,
        }),
        async (script) => {
          const bad = new Set(script.filter(([, , fails]) => fails).map(([item]) => item));
          const { sent, go } = stage({ maxSize: 6, bad });
          const outcomes: Promise<PromiseSettledResult<string>[]>[] = [];
          let landed = 0;
          const landOne = async () => {
            await turn();
            sent[landed++]?.land();
          };
          for (const [item, lands] of script) {
            outcomes.push(Promise.allSettled([go(item)]));
            if (lands && landed < sent.length) await landOne();
          }
          const done = Promise.all(outcomes).then((all) => all.flat());
          let settled = false;
          void done.then(() => {
            settled = true;
          });
          for (let patience = 0; !settled && patience < 500; patience++)
            await (landed < sent.length ? landOne() : turn());
          for (const [i, outcome] of (await done).entries()) {
            const item = script[i]![0];
            expect(outcome).toMatchObject(
              bad.has(item) ? { status: "rejected" } : { status: "fulfilled", value: `${item}!` },
            );
          }
          for (const { items } of sent) {
            expect(items.length).toBeLessThanOrEqual(3);
            expect(new Set(items.map((item) => item[0])).size).toBe(items.length);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
