import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createPace, createThreadTurns } from "./thread-turns.ts";

test("one computation continues in a turn of the event loop", async () => {
  const turns = createThreadTurns();
  let continued = 0;
  for (let i = 0; i < 3; i++) void turns.take("a").then(() => continued++);
  expect(continued).toBe(0);
  for (const expected of [1, 2, 3, 3]) {
    await nextTurn();
    expect(continued).toBe(expected);
  }
});

test("shares alternate, whatever number of computations each of them has", async () => {
  const turns = createThreadTurns();
  const order: string[] = [];
  const take = (share: string) => turns.take(share).then(() => order.push(share));
  await Promise.all([take("a"), take("a"), take("a"), take("a"), take("b"), take("b"), take("c")]);
  expect(order).toEqual(["a", "b", "c", "a", "b", "a", "a"]);
});

test("a computation that asks again waits for the next turn, behind another share", async () => {
  const turns = createThreadTurns();
  const order: string[] = [];
  async function compute(share: string) {
    for (let i = 0; i < 3; i++) {
      await turns.take(share);
      order.push(share);
    }
  }
  await Promise.all([compute("a"), compute("b")]);
  expect(order).toEqual(["a", "b", "a", "b", "a", "b"]);
});

test("a long computation gives others a turn, and a short one does not wait", async () => {
  const turns = createThreadTurns();
  const short = createPace(turns, "a");
  for (let i = 0; i < 199; i++) expect(short(10)).toBeUndefined();
  const waiting = short(10);
  expect(waiting).toBeInstanceOf(Promise);
  await waiting;
  // The next slice begins at zero.
  expect(short(1_999)).toBeUndefined();
  expect(short(1)).toBeInstanceOf(Promise);
});
