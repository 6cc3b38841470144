import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDatabase, postgresIsThere } from "../postgres.ts";
import { cleanUp } from "./kit.ts";
import { crashDuringRefresh, type Office, openOffice, spoken, storm } from "./oauth.ts";

// The long versions of these are in test/long/oauth.ts.
describe.skipIf(!(await postgresIsThere()))("tokens in real processes", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let office: Office;
  beforeAll(async () => {
    database = await makeDatabase();
    office = await openOffice(database.url, 2);
  });
  afterAll(async () => {
    await office?.close();
    await cleanUp();
    await database.drop();
  });

  test("100 callers in two processes with an expired token make one call to the provider", async () => {
    for (let round = 0; round < 2; round++) expect(await storm(office, 100)).toBeUndefined();
  });

  test.each([0, 1, 3])(
    "a process killed %i ms after the provider's answer replays nothing, and says what it does not know",
    async (afterMs) => {
      expect(await crashDuringRefresh(office, afterMs)).toBeUndefined();
    },
  );

  test("none of that is in the log", () => {
    expect(office.said()).toContain("postV1OauthProvidersByProviderIdToken");
    expect(spoken(office)).toEqual([]);
  });
});
