import { afterAll, expect, inject, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, copyFolder } from "./kit.ts";
import { runNeighbors } from "./neighbors/index.ts";

afterAll(cleanUp);

const onPostgres = await isPostgresAvailable();
const unharmed = { serverLived: true, failures: [] };

// test/long/neighbors.ts measures how long calls take under attack. It needs a quiet machine.
test("embedded: two hostile organizations neither stop the server nor make calls of another organization fail", async () => {
  expect(await runNeighbors({ dataDir: copyFolder(inject("preparedFolder")) }, { seconds: 8 })).toMatchObject(
    unharmed,
  );
}, 180_000);

test.skipIf(!onPostgres)(
  "on PostgreSQL: two hostile organizations neither stop the server nor make calls of another organization fail",
  async () => {
    const database = await makeDatabase();
    expect(await runNeighbors({ databaseUrl: database.url }, { seconds: 8 })).toMatchObject(unharmed);
    await database.drop();
  },
  180_000,
);
