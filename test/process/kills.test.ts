import { afterAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { killUnderLoad } from "./kills.ts";
import { cleanUp } from "./kit.ts";

afterAll(cleanUp);

describe.skipIf(!(await isPostgresAvailable()))("serving processes that are killed under load", () => {
  // `npm run test:kill` does the same a thousand times.
  test("lose nothing that was acknowledged, and store nothing twice", async () => {
    const database = await makeDatabase();
    try {
      expect(await killUnderLoad(database.url, { kills: 6, seed: 20_261_116 })).toEqual([]);
    } finally {
      await cleanUp();
      await database.drop();
    }
  }, 600_000);
});
