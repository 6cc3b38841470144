import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBatcher } from "./batcher.ts";

/** Records the statements. Each one ends when the test calls `finish`. */
function createStage({ maxItems = 3, maxSize = 100, bad = new Set<string>() } = {}) {
  const sent: { items: readonly string[]; finish(): void }[] = [];
  const add = createBatcher<string, string>({
    send: (items) =>
      new Promise((resolve, reject) => {
        const finish = () =>
          items.some((item) => bad.has(item))
            ? reject(new Error(items.join()))
            : resolve(items.map((item) => `${item}!`));
        sent.push({ items, finish });
      }),
    onFailure: (error) => {
      throw error;
    },
    key: (item) => item[0]!,
    owner: () => null,
    size: (item) => item.length,
    maxItems,
    maxSize,
  });
  return { sent, add, items: () => sent.map(({ items }) => items.join()) };
}

describe("a batcher", () => {
  test("with a time to collect waits for items that arrive later, also after a batch", async () => {
    const batches: string[] = [];
    const add = createBatcher<string, string>({
      send: async (items) => {
        batches.push(items.join());
        return items;
      },
      owner: () => null,
      size: () => 1,
      maxItems: 10,
      maxSize: 10,
      collectMs: () => 20,
    });
    const first = add("a");
    await turn();
    await Promise.all([first, add("b")]);
    const third = add("c");
    await turn();
    await Promise.all([third, add("d")]);
    expect(batches).toEqual(["a,b", "c,d"]);
  });

  test("of a database in this thread replies first, and waits for all that arrive in the following turns", async () => {
    const log: string[] = [];
    const add = createBatcher<string, string>({
      send: async (items) => {
        log.push(items.join());
        return items;
      },
      owner: () => null,
      size: () => 1,
      maxItems: 4,
      maxSize: 100,
      sharesThread: true,
    });
    const addAndLog = (item: string) => add(item).then((reply) => log.push(`${reply}!`));
    const arriveInTurns = async (...items: string[]) => {
      const added: Promise<unknown>[] = [];
      for (const item of items) {
        added.push(addAndLog(item));
        await turn();
      }
      await Promise.all(added);
    };
    await arriveInTurns("a", "b", "c");
    expect(log.splice(0)).toEqual(["a,b,c", "a!", "b!", "c!"]);
    // A full batch waits for nothing.
    await arriveInTurns("a", "b", "c", "d", "e", "f");
    expect(log.splice(0)).toEqual(["a,b,c,d", "a!", "b!", "c!", "d!", "e,f", "e!", "f!"]);
    // Callers that send again when they are answered share the next batch.
    const again = (item: string) => addAndLog(item).then(() => addAndLog(item.toUpperCase()));
    await Promise.all(["a", "b", "c"].map(again));
    expect(log).toEqual(["a,b,c", "a!", "b!", "c!", "A,B,C", "A!", "B!", "C!"]);
  });

  test("lets organizations take turns when not all items fit", async () => {
    const batches: string[] = [];
    const add = createBatcher<string, string>({
      send: async (items) => {
        batches.push(items.join());
        return items;
      },
      owner: (item) => `org_${item[0]}`,
      size: () => 1,
      maxItems: 4,
      maxSize: 4,
    });
    await Promise.all(["a1", "a2", "a3", "a4", "a5", "a6", "b1", "c1", "b2"].map(add));
    expect(batches[0]).toBe("a1,b1,c1,a2");
    expect(batches.join()).toBe("a1,b1,c1,a2,b2,a3,a4,a5,a6");
  });

  test("lets organizations take turns also when a few large items do not fit", async () => {
    const batches: string[] = [];
    const add = createBatcher<string, string>({
      send: async (items) => {
        batches.push(items.join());
        return items;
      },
      owner: (item) => `org_${item[0]}`,
      size: () => 5,
      maxItems: 100,
      maxSize: 10,
    });
    await Promise.all(["a1", "a2", "a3", "b1"].map(add));
    expect(batches).toEqual(["a1,b1", "a2,a3"]);
  });

  test("sends items that arrive together in one statement, and the rest after it", async () => {
    const { sent, add, items } = createStage();
    const all = ["a", "b", "c", "d"].map(add);
    await turn();
    expect(items()).toEqual(["a,b,c"]);
    all.push(add("e"));
    await turn();
    expect(sent).toHaveLength(1);
    sent[0]!.finish();
    await turn();
    expect(items()).toEqual(["a,b,c", "d,e"]);
    sent[1]!.finish();
    expect(await Promise.all(all)).toEqual(["a!", "b!", "c!", "d!", "e!"]);
  });

  test("sends items with the same key one after another, and a too large item alone", async () => {
    const { sent, add, items } = createStage({ maxSize: 4 });
    const all = ["a1", "a2", "b1", "large", "c1"].map(add);
    for (let n = 0; n < 3; n++) {
      await turn();
      sent[n]!.finish();
    }
    expect(items()).toEqual(["a1,b1", "a2,c1", "large"]);
    expect(await Promise.all(all)).toHaveLength(5);
  });

  test("sends items with the same key in the order of their arrival, also when the first one does not fit", async () => {
    const { sent, add, items } = createStage({ maxSize: 4 });
    const all = ["b1", "a-1", "a2"].map(add);
    for (let n = 0; n < 3; n++) {
      await turn();
      sent[n]?.finish();
    }
    expect(items()).toEqual(["b1", "a-1", "a2"]);
    await Promise.all(all);
  });

  test("sends the next statement before it answers the items of the last one", async () => {
    const { sent, add, items } = createStage();
    const order: string[] = [];
    const first = add("a").then(() => order.push("answered", items().join(" ")));
    await turn();
    void add("b");
    sent[0]!.finish();
    await first;
    expect(order).toEqual(["answered", "a b"]);
  });

  test("leaves half of many items for the next statement, because answered callers send again", async () => {
    const { sent, add } = createStage({ maxItems: 64 });
    // Each has its own key.
    const names = Array.from({ length: 60 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    for (const name of names.slice(0, 10)) void add(name);
    await turn();
    expect(sent[0]!.items).toHaveLength(10);
    for (const name of names.slice(10, 40)) void add(name);
    sent[0]!.finish();
    await turn();
    expect(sent[1]!.items).toHaveLength(20);
    for (const name of names.slice(40, 50)) void add(name);
    sent[1]!.finish();
    await turn();
    expect(sent[2]!.items).toHaveLength(20);
  });

  test("rejects only the item that is wrong", async () => {
    const { sent, add } = createStage({ bad: new Set(["b"]) });
    const all = Promise.allSettled(["a", "b", "c"].map(add));
    for (let n = 0; n < 4; n++) {
      await turn();
      sent[n]!.finish();
    }
    expect((await all).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("answers each item once with its own result, in any order of events", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.stringMatching(/^[a-d][a-z]{0,3}$/), fc.boolean(), fc.boolean()), {
          maxLength: 40,
        }),
        async (script) => {
          const bad = new Set(script.filter(([, , fails]) => fails).map(([item]) => item));
          const { sent, add } = createStage({ maxSize: 6, bad });
          const outcomes: Promise<PromiseSettledResult<string>[]>[] = [];
          let finished = 0;
          const finishOne = async () => {
            await turn();
            sent[finished++]?.finish();
          };
          for (const [item, finishes] of script) {
            outcomes.push(Promise.allSettled([add(item)]));
            if (finishes && finished < sent.length) await finishOne();
          }
          const done = Promise.all(outcomes).then((all) => all.flat());
          let settled = false;
          void done.then(() => {
            settled = true;
          });
          for (let tries = 0; !settled && tries < 500; tries++)
            await (finished < sent.length ? finishOne() : turn());
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
