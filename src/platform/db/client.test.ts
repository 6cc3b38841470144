import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, postgresUrl } from "../../../test/postgres.ts";
import { Client } from "./client.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;

describe.skipIf(!(await isPostgresAvailable()))("a connection of the driver", () => {
  const client = new Client({ connectionString: postgresUrl });
  beforeAll(() => client.connect());
  afterAll(() => client.end());

  test.each([{ waitMs: 30_000 }, {}])(
    "the values of a statement leave the memory without a full collection, with %j",
    async (limit) => {
      const size = 100_000;
      const run = async () =>
        client.query({
          ...{ name: "length", text: "select length($1::bytea)", ...limit },
          values: [Buffer.allocUnsafeSlow(size)],
        });
      await run();
      const before = process.memoryUsage().arrayBuffers;
      for (let i = 1; i <= 200; i++) {
        await run();
        if (i % 10 === 0) collect({ type: "minor" });
      }
      collect({ type: "minor" });
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * size);
    },
  );

  test("a statement without an answer in time fails once, and its connection ends at once", async () => {
    const other = new Client({ connectionString: postgresUrl });
    other.on("error", () => {});
    await other.connect();
    const replies: unknown[] = [];
    const timed = { text: "select pg_sleep(0.3)", waitMs: 50 };
    await new Promise<void>((resolve) => {
      (other.query as (query: object, done: (error: unknown) => void) => void)(timed, (error) => {
        replies.push(error);
        resolve();
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(replies).toEqual([new Error("Query read timeout")]);
    await other.end();
  });

  test("a refused statement is reported to its caller, with the code of the database", async () => {
    await expect(client.query("select no_such_column")).rejects.toMatchObject({ code: "42703" });
    await expect(client.query({ text: "select 1/0", ...{ waitMs: 1_000 } })).rejects.toMatchObject({
      code: "22012",
    });
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect((await client.query("select $1::int as one", [1])).rows).toEqual([{ one: 1 }]);
  });
});
