import { describe, expect, it } from "vitest";
import { createTurns } from "./turns.ts";

describe("turns of the event loop", () => {
  it("go at once to a caller who is alone, and one by one, in order, to callers who come together", async () => {
    const turns = createTurns();
    let loop = 0;
    let isCounting = true;
    const count = () => {
      loop += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const continued: { caller: number; loop: number }[] = [];
    await Promise.all(
      [1, 2, 3].map(async (caller) => {
        const turn = turns.take();
        expect(turn === undefined).toBe(caller === 1);
        await turn;
        continued.push({ caller, loop });
      }),
    );
    isCounting = false;
    expect(continued.map(({ caller }) => caller)).toEqual([1, 2, 3]);
    expect(new Set(continued.map((one) => one.loop)).size).toBe(3);
  });

  it("are free again when everybody has had one", async () => {
    const turns = createTurns();
    await Promise.all([turns.take(), turns.take()]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(turns.take()).toBeUndefined();
  });
});
