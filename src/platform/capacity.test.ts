import { describe, expect, test } from "vitest";
import { createCapacity } from "./capacity.ts";

const limits = { total: 3, perKey: 2, waitMs: 50, waiting: 2, waitingPerKey: 2 };

describe("places for discoveries", () => {
  test("one key cannot take all places", async () => {
    const capacity = createCapacity(limits);
    expect(await capacity.enter("a")).toBeDefined();
    expect(await capacity.enter("a")).toBeDefined();
    expect(await capacity.enter("a")).toBeUndefined();
    expect(await capacity.enter("b")).toBeDefined();
    expect(await capacity.enter("b")).toBeUndefined();
  });

  test("who waits is admitted when a place comes free, in order, past those whose share is used up", async () => {
    const capacity = createCapacity({ ...limits, waitMs: 1000 });
    const [first, second, third] = [
      await capacity.enter("a"),
      await capacity.enter("a"),
      await capacity.enter("b"),
    ];
    const order: string[] = [];
    const waitingA = capacity.enter("a").then((place) => order.push("a") && place);
    const waitingC = capacity.enter("c").then((place) => order.push("c") && place);
    third?.();
    expect(await waitingC).toBeDefined();
    first?.();
    expect(await waitingA).toBeDefined();
    expect(order).toEqual(["c", "a"]);
    second?.();
  });

  test("a free place goes to who holds fewest, however long the line of another is", async () => {
    const capacity = createCapacity({ total: 4, perKey: 3, waitMs: 1000, waiting: 9, waitingPerKey: 3 });
    const places = [];
    for (const key of ["a", "a", "a", "b"]) places.push(await capacity.enter(key));
    const order: string[] = [];
    const wait = (key: string) => capacity.enter(key).then((place) => place && order.push(key));
    const line = ["a", "a", "a", "c", "b"].map(wait);
    expect(await capacity.enter("a")).toBeUndefined();
    places[0]?.();
    await line[3];
    places[3]?.();
    await line[4];
    expect(order).toEqual(["c", "b"]);
  });

  test("more than the line holds are turned away at once, and a place given back twice counts once", async () => {
    const capacity = createCapacity({ ...limits, total: 1, perKey: 1, waitMs: 10_000, waiting: 1 });
    const place = await capacity.enter("a");
    const waiting = capacity.enter("b");
    expect(await capacity.enter("c")).toBeUndefined();
    place?.();
    place?.();
    expect(await waiting).toBeDefined();
    expect(await Promise.race([capacity.enter("d"), Promise.resolve("still waiting")])).toBe("still waiting");
  });
});
