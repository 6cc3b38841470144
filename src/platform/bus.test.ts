import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bus, openBus } from "./bus.ts";
import { createDb, type Db, type Engine, openPglite } from "./db/index.ts";

describe("the bus", () => {
  let engine: Engine;
  let db: Db;
  let bus: Bus;
  beforeAll(async () => {
    engine = await openPglite();
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

  test("who sends inside a transaction hears it when that is committed, and once", async () => {
    const heard = hear(bus);
    await db.transaction(async (tx) => {
      await bus.publish(tx, "t", "hello world");
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual(["hello world"]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toEqual(["hello world"]);
  });

  test("what is rolled back is heard by nobody", async () => {
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
