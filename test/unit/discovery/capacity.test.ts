import { describe, expect, test } from "vitest";
import { createCapacity } from "../../../src/features/mcp-connections/capacity.ts";

const limits = { total: 3, perKey: 2, waitMs: 50, waiting: 2 };

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
