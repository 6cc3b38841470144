import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmptyPglite } from "../../test/cluster.ts";
import { type Bus, openBus } from "./bus.ts";
import { createDb, type Db, type Engine } from "./db/index.ts";

describe("the bus", () => {
  let engine: Engine;
  let db: Db;
  let bus: Bus;
  beforeAll(async () => {
    engine = await openEmptyPglite();
    db = createDb(engine);
    bus = await openBus(db);
  });
  afterAll(async () => {
    await bus.close();
    await engine.close();
  });

  function hear(on: Bus): string[] {
    const heard: string[] = [];
    on.subscribe("t", { onMessage: (payload) => heard.push(payload), onGap: () => {} });
    return heard;
  }

  test("a message sent inside a transaction reaches its own process once, after the commit", async () => {
    const heard = hear(bus);
    await db.transaction(async (tx) => {
      await bus.publish(tx, "t", "hello world");
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(["hello world"]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toEqual(["hello world"]);
  });

  test("a message of a rolled back transaction reaches nobody", async () => {
    const other = await openBus(db);
    const [here, there] = [hear(bus), hear(other)];
    await expect(
      db.transaction(async (tx) => {
        await bus.publish(tx, "t", "never");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await bus.publish(db, "t", "after");
    await expect.poll(() => there).toEqual(["after"]);
    expect(here).toEqual(["after"]);
    await other.close();
  });
});
