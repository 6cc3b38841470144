import { expect, test } from "vitest";
import { createPace, createThreadTurns } from "../../../platform/thread-turns.ts";
import { toRecords } from "./records.ts";

const createEvents = (count: number, attributes: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `e${i}`,
    type: "review.finished",
    at: Date.now(),
    attributes: Object.fromEntries(Array.from({ length: attributes }, (_, j) => [`name.${j}`, j])),
  }));

test("a request that arrives while many attributes are mapped is answered before they are done", async () => {
  const order: string[] = [];
  const mapping = toRecords(createEvents(500, 50), false, createPace(createThreadTurns(), "a"));
  setImmediate(() => order.push("another request"));
  const records = await mapping;
  order.push("mapped");
  expect(order).toEqual(["another request", "mapped"]);
  expect(records.map(({ eventId }) => eventId)).toEqual(createEvents(500, 0).map(({ id }) => id));
});

test("two organizations with many attributes alternate", async () => {
  const turns = createThreadTurns();
  const order: string[] = [];
  const map = (share: string, events: number) => {
    const pace = createPace(turns, share);
    return toRecords(createEvents(events, 50), false, (weight) => {
      const turn = pace(weight);
      return turn?.then(() => void order.push(share));
    });
  };
  await Promise.all([map("a", 300), map("b", 100)]);
  expect(order.slice(0, 4)).toEqual(["a", "b", "a", "b"]);
});

test("few attributes are mapped at once", async () => {
  let waits = 0;
  const pace = createPace({ take: async () => void waits++ }, "a");
  await toRecords(createEvents(20, 40), false, pace);
  expect(waits).toBe(0);
});
