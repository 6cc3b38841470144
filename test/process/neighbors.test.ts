import { afterAll, expect, inject, test } from "vitest";
import { makeDatabase, postgresIsThere } from "../postgres.ts";
import { cleanUp, copyOf } from "./kit.ts";
import { runNeighbors } from "./neighbors/index.ts";

afterAll(cleanUp);

const onPostgres = await postgresIsThere();
const unharmed = { serverLived: true, failures: [] };

// test/long/neighbors.ts measures how long calls take under attack. It needs a quiet machine.
test("embedded: two hostile tenants neither stop the server nor make a neighbor's call fail", async () => {
  expect(await runNeighbors({ dataDir: copyOf(inject("preparedFolder")) }, { seconds: 8 })).toMatchObject(
    unharmed,
  );
}, 180_000);

test.skipIf(!onPostgres)(
  "on PostgreSQL: two hostile tenants neither stop the server nor make a neighbor's call fail",
  async () => {
    const database = await makeDatabase();
    expect(await runNeighbors({ databaseUrl: database.url }, { seconds: 8 })).toMatchObject(unharmed);
    await database.drop();
  },
  180_000,
);
