import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmptyPglite } from "../../../test/cluster.ts";
import { countKeptValues } from "../../../test/memory.ts";
import { createDb, type Db, type Engine } from "./db.ts";
import { sql } from "./sql.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEmptyPglite();
  await engine.queryWithDriverTypes(
    "create table items (id text primary key, n int, body bytea, at timestamptz, tags text[])",
  );
});
afterAll(() => engine.close());

const rows = async (text: string, values: unknown[] = []) => (await engine.query(text, values)).rows;

describe("a statement of the embedded engine", () => {
  test("returns values of every type unchanged, the first time and later", async () => {
    const body = Buffer.from([0, 1, 2, 255]);
    for (const id of ["first", "second", "third"]) {
      const values = [id, 7, body, "2026-01-02T03:04:05Z", ["a", 'b "c"', "d,e"]];
      const { affected } = await engine.query("insert into items values ($1, $2, $3, $4, $5)", values);
      expect(affected).toBe(1);
      expect(
        await rows("select *, 3::bigint as count, null as nothing from items where id = $1", [id]),
      ).toEqual([
        { id, n: 7, body, at: Date.parse(values[3] as string), tags: values[4], count: 3, nothing: null },
      ]);
    }
    expect((await engine.query("update items set n = n + $1", [1])).affected).toBe(3);
    expect((await engine.query("delete from items", [])).affected).toBe(3);
  });

  test("that fails does not affect others, whichever step fails", async () => {
    await expect(rows("selec 1")).rejects.toMatchObject({ code: "42601" });
    await expect(rows("select 1 / $1::int", [0])).rejects.toMatchObject({ code: "22012" });
    await expect(rows("select $1::int", ["x"])).rejects.toMatchObject({ code: "22P02" });
    await expect(rows("select $1::text", ["\0"])).rejects.toMatchObject({ code: "22021" });
    expect(await rows("select 6 / $1::int as x", [2])).toEqual([{ x: 3 }]);
  });

  test("an error does not carry the statement's parameters", async () => {
    const error = await rows("select $1::int", ["a secret"]).catch((thrown) => thrown);
    expect(Object.keys(error)).not.toContain("params");
  });

  test("returns its own result when several run at once in one transaction", async () => {
    const found = await engine.transaction((session) =>
      Promise.all(Array.from({ length: 20 }, (_, n) => session.query(`select $1::int as n${n % 3}`, [n]))),
    );
    expect(found.map(({ rows }) => Object.values(rows[0]!)[0])).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  test("leaves the memory with its values, without a full collection", async () => {
    const kept = await countKeptValues((value) => rows("select length($1::bytea)", [value]));
    expect(kept).toBeLessThan(50);
  });

  test("of the driver's own kind does not run between the steps of another", async () => {
    const found = await engine.transaction((session) =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          n % 2
            ? session.query(`select $1::int as n${n % 3}`, [n])
            : session.queryWithDriverTypes(`select $1::int as n${n % 3}`, [n]),
        ),
      ),
    );
    expect(found.map(({ rows }) => Object.values(rows[0]!)[0])).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  test("works when there are more statements than the cache holds", async () => {
    for (let n = 0; n < 620; n++) expect(await rows(`select ${n} as n`)).toEqual([{ n }]);
    expect(await rows("select 619 as n")).toEqual([{ n: 619 }]);
  });
});

describe("a transaction of the embedded engine", () => {
  const add = "insert into items (id) values ($1)";
  const count = async () => (await rows("select count(*)::int as n from items"))[0]!.n;

  test("is rolled back when its work throws, and when it hides an error", async () => {
    const failing = engine.transaction(async (session) => {
      await session.query(add, ["a"]);
      throw new Error("stop");
    });
    await expect(failing).rejects.toThrow("stop");
    const hiding = engine.transaction(async (session) => {
      await session.query(add, ["a"]);
      await session.query(add, ["a"]).catch(() => {});
    });
    await expect(hiding).rejects.toThrow("rolled back");
    expect(await count()).toBe(0);
    await engine.transaction((session) => session.query(add, ["a"]));
    expect(await count()).toBe(1);
  });

  test("executes nothing after its end, not even in the next transaction", async () => {
    const db = createDb(engine);
    await db.run(sql`delete from items`);
    const insert = (tx: Db, id: string) => tx.run(sql`insert into items (id) values (${id})`);
    let late: Promise<unknown> = Promise.resolve();
    const failing = db.transaction((tx) => {
      late = insert(tx, "first").then(() => insert(tx, "second"));
      return Promise.all([late, Promise.reject(new Error("stop"))]);
    });
    await expect(failing).rejects.toThrow("stop");
    await expect(late).rejects.toThrow("The transaction has ended.");
    let ended: Db | undefined;
    await db.transaction(async (tx) => {
      ended = tx;
    });
    await db.transaction(async (tx) => {
      await expect(insert(ended!, "third")).rejects.toThrow("The transaction has ended.");
      await insert(tx, "fourth");
    });
    expect(await rows("select id from items")).toEqual([{ id: "fourth" }]);
  });
});
