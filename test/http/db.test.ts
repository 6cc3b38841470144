/** The one way to the data behaves the same on both engines. */
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { sql, violatedConstraint } from "../../src/platform/db/index.ts";
import { useServer } from "../harness.ts";

const server = useServer();
const count = async () =>
  (await server.platform.db.row<{ n: number }>(sql`select count(*)::int as n from things`))!.n;

beforeAll(async () => {
  await server.platform.db.queryWithDriverTypes(
    "create table things (id int primary key, big bigint, at timestamptz, list text[])",
  );
});

describe("values", () => {
  test("times are milliseconds, large integers numbers, lists lists, and what goes in comes out", async () => {
    const { db } = server.platform;
    const at = 1_700_000_000_123;
    await db.run(
      sql`insert into things values (1, ${2 ** 53 - 1}, ${new Date(at)}, ${["a", 'b"', "c,d", "{e}"]})`,
    );
    expect(await db.row(sql`select * from things where id = 1`)).toEqual({
      id: 1,
      big: 2 ** 53 - 1,
      at,
      list: ["a", 'b"', "c,d", "{e}"],
    });
    expect(await db.row(sql`select null::timestamptz as at, null::bigint as big`)).toEqual({
      at: null,
      big: null,
    });
    expect(await db.row(sql`select ${"'; drop table things; --"}::text as text`)).toEqual({
      text: "'; drop table things; --",
    });
    await db.run(sql`delete from things`);
  });

  test("`run` says how many rows were written, `row` gives none as undefined", async () => {
    const { db } = server.platform;
    expect(await db.run(sql`insert into things (id) values (1), (2), (3)`)).toBe(3);
    expect(await db.run(sql`update things set big = 1 where id > 1`)).toBe(2);
    expect(await db.run(sql`delete from things where id = 99`)).toBe(0);
    expect(await db.row(sql`select * from things where id = 99`)).toBeUndefined();
    expect(await db.run(sql`delete from things`)).toBe(3);
  });

  test("a row that is refused names the constraint", async () => {
    const { db } = server.platform;
    await db.run(sql`insert into things (id) values (1)`);
    const error = await db.run(sql`insert into things (id) values (1)`).catch((cause: unknown) => cause);
    expect(violatedConstraint(error)).toBe("things_pkey");
    expect(violatedConstraint(new Error("other"))).toBeUndefined();
    await db.run(sql`delete from things`);
  });
});

describe("a transaction", () => {
  test("commits as a whole or not at all", async () => {
    const { db } = server.platform;
    await expect(
      db.transaction(async (tx) => {
        await tx.run(sql`insert into things (id) values (1)`);
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await count()).toBe(0);
    expect(await db.transaction(async (tx) => tx.run(sql`insert into things (id) values (1)`))).toBe(1);
    expect(await count()).toBe(1);
    await db.run(sql`delete from things`);
  });

  test("inside another one is part of it", async () => {
    const { db } = server.platform;
    await expect(
      db.transaction(async (tx) => {
        await tx.transaction(async (inner) => {
          expect(inner.inTransaction).toBe(true);
          await inner.run(sql`insert into things (id) values (1)`);
        });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await count()).toBe(0);
  });

  test("that failed halfway and went on regardless is a failure, not a silent nothing", async () => {
    const { db } = server.platform;
    await expect(
      db.transaction(async (tx) => {
        await tx.run(sql`insert into things (id) values (1)`);
        await tx.run(sql`insert into things (id) values (1)`).catch(() => {});
      }),
    ).rejects.toThrow();
    expect(await count()).toBe(0);
    expect(await db.run(sql`select 1`)).toBeGreaterThanOrEqual(0);
  });

  test("what follows a commit follows it, and does not follow a rollback", async () => {
    const { db } = server.platform;
    const seen: string[] = [];
    await db.transaction(async (tx) => {
      tx.afterCommit(() => seen.push("committed"));
      await tx.transaction(async (inner) => inner.afterCommit(() => seen.push("inner")));
      expect(seen).toEqual([]);
    });
    await db
      .transaction(async (tx) => {
        tx.afterCommit(() => seen.push("rolled back"));
        throw new Error("no");
      })
      .catch(() => {});
    db.afterCommit(() => seen.push("outside"));
    expect(seen).toEqual(["committed", "inner", "outside"]);
  });

  test("many at once all come to their end", async () => {
    const { db } = server.platform;
    await Promise.all(
      Array.from({ length: 30 }, (_, id) =>
        db.transaction(async (tx) => {
          await tx.run(sql`insert into things (id) values (${id})`);
          await pause(5);
          if (id % 3 === 0) throw new Error("no");
        }),
      ).map((one) => one.catch(() => {})),
    );
    expect(await count()).toBe(20);
    await db.run(sql`delete from things`);
  });
});

describe("the bus", () => {
  test("delivers what was committed, once, and nothing that was rolled back", async () => {
    const { db, bus } = server.platform;
    const heard: string[] = [];
    const stop = bus.subscribe("test", { onMessage: (payload) => heard.push(payload), onGap: () => {} });
    await bus.publish(db, "test", "plain text with spaces");
    await db.transaction((tx) => bus.publish(tx, "test", "committed"));
    await db
      .transaction(async (tx) => {
        await bus.publish(tx, "test", "rolled back");
        throw new Error("no");
      })
      .catch(() => {});
    await bus.publish(db, "another topic".replaceAll(" ", "-"), "not for us");
    await pause(200);
    expect(heard).toEqual(["plain text with spaces", "committed"]);
    stop();
    await bus.publish(db, "test", "after the end");
    await pause(50);
    expect(heard).toHaveLength(2);
  });
});
