import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countKeptValues } from "../../../test/memory.ts";
import { isPostgresAvailable, postgresUrl } from "../../../test/postgres.ts";
import { Client } from "./client.ts";

describe.skipIf(!(await isPostgresAvailable()))("a connection of the driver", () => {
  const client = new Client({ connectionString: postgresUrl });
  beforeAll(() => client.connect());
  afterAll(() => client.end());

  test.each([{ waitMs: 30_000 }, {}])(
    "the values of a statement leave the memory without a full collection, with %j",
    async (limit) => {
      const kept = await countKeptValues((value) =>
        client.query({ ...{ name: "length", text: "select length($1::bytea)", ...limit }, values: [value] }),
      );
      expect(kept).toBeLessThan(50);
    },
  );

  test("a statement without an answer in time fails once, and its connection ends at once", async () => {
    const other = new Client({ connectionString: postgresUrl });
    other.on("error", () => {});
    await other.connect();
    const replies: unknown[] = [];
    const timed = { text: "select pg_sleep(20)", waitMs: 50 };
    await new Promise<void>((resolve) => {
      (other.query as (query: object, done: (error: unknown) => void) => void)(timed, (error) => {
        replies.push(error);
        resolve();
      });
    });
    // The connection does not wait for the statement, and its end is not reported to the caller again.
    await other.end();
    expect(replies).toEqual([new Error("Query read timeout")]);
  }, 10_000);

  test("a refused statement is reported to its caller, with the code of the database", async () => {
    await expect(client.query("select no_such_column")).rejects.toMatchObject({ code: "42703" });
    await expect(client.query({ text: "select 1/0", ...{ waitMs: 1_000 } })).rejects.toMatchObject({
      code: "22012",
    });
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect((await client.query("select $1::int as one", [1])).rows).toEqual([{ one: 1 }]);
  });
});
