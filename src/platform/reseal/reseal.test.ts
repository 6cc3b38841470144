import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openEmptyPglite } from "../../../test/cluster.ts";
import { createDb, type Db, type Engine, sql } from "../db/index.ts";
import { createKeyring } from "../keyring.ts";
import { countSealed, type Progress, resealColumn, trySealed } from "./index.ts";

const old = createKeyring("the old secret, which is long enough");
const keyring = createKeyring("the new secret, which is long enough", [
  "the old secret, which is long enough",
]);
const column = { table: "things", id: "owner || ' ' || name", column: "secret" };
const place = (row: string) => ({ table: "things", row, column: "secret" });

let engine: Engine;
let db: Db;
beforeAll(async () => {
  engine = await openEmptyPglite();
  db = createDb(engine);
  await db.queryWithDriverTypes(
    "create table things (owner text, name text, secret text, primary key (owner, name))",
  );
});
afterAll(() => engine.close());
beforeEach(() => db.run(sql`delete from things`));

const put = (name: string, secret: string | null) =>
  db.run(sql`insert into things values ('ada', ${name}, ${secret})
    on conflict (owner, name) do update set secret = excluded.secret`);
const fill = async (count: number) => {
  for (let i = 0; i < count; i++) await put(`n${i}`, old.seal(`plain ${i}`, place(`ada n${i}`)));
};
const plain = async (name: string) => {
  const row = await db.row<{ secret: string }>(sql`select secret from things where name = ${name}`);
  return keyring.open(row!.secret, place(`ada ${name}`));
};
const walk = async (on: Db = db): Promise<Progress[]> => {
  const steps: Progress[] = [];
  for await (const step of resealColumn({ db: on, keyring }, column)) steps.push(step);
  return steps;
};

describe("re-sealing", () => {
  test("seals every value with the current key, and then has nothing left to do", async () => {
    await fill(450);
    await put("empty", null);
    expect((await walk()).map(({ resealed }) => resealed)).toEqual([200, 200, 50]);
    expect(await countSealed({ db, keyring }, column)).toEqual({ current: 450, previous: 0, unknown: 0 });
    expect(await plain("n449")).toBe("plain 449");
    expect(await walk()).toEqual([]);
  });

  test("never overwrites a value that was changed meanwhile", async () => {
    await fill(3);
    // Between reading and writing, somebody else stores something new.
    const racing: Db = {
      ...db,
      run: async (statement) => {
        await put("n1", keyring.seal("newer", place("ada n1")));
        return db.run(statement);
      },
    };
    expect(await walk(racing)).toEqual([{ resealed: 2, overtaken: 1, unopened: [] }]);
    expect(await plain("n1")).toBe("newer");
    expect(await plain("n2")).toBe("plain 2");
  });

  test("does not restore a value that was deleted meanwhile", async () => {
    await fill(2);
    const racing: Db = {
      ...db,
      run: async (statement) => {
        await db.run(sql`delete from things where name = 'n0'`);
        return db.run(statement);
      },
    };
    expect(await walk(racing)).toEqual([{ resealed: 1, overtaken: 1, unopened: [] }]);
    expect(await db.rows(sql`select 1 from things`)).toHaveLength(1);
  });

  test("names values that do not open, leaves them unchanged, and continues", async () => {
    await fill(2);
    const foreign = createKeyring("a secret that nobody has any more.").seal("lost", place("ada lost"));
    await put("lost", foreign);
    await put("moved", old.seal("of another row", place("ada n0")));
    const [progress] = await walk();
    expect(progress).toMatchObject({ resealed: 2, overtaken: 0 });
    expect(progress!.unopened.map(({ row }) => row)).toEqual(["ada lost", "ada moved"]);
    expect(await countSealed({ db, keyring }, column)).toEqual({ current: 2, previous: 1, unknown: 1 });
    // Those under an unknown key are counted; a look at the values finds the others.
    expect((await trySealed({ db, keyring }, column, 10)).map(({ row }) => row)).toEqual(["ada moved"]);
  });
});
