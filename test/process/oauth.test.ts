import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp } from "./kit.ts";
import {
  crashDuringRefresh,
  findSecretsInOutput,
  type OAuthDeployment,
  refreshConcurrently,
  startDeployment,
} from "./oauth.ts";

// The long versions of these are in test/long/oauth.ts.
describe.skipIf(!(await isPostgresAvailable()))("OAuth tokens in several processes", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let deployment: OAuthDeployment;
  beforeAll(async () => {
    database = await makeDatabase();
    deployment = await startDeployment(database.url, 2);
  });
  afterAll(async () => {
    await deployment?.close();
    await cleanUp();
    await database.drop();
  });

  test("100 callers in two processes with an expired token make one call to the provider", async () => {
    for (let round = 0; round < 2; round++)
      expect(await refreshConcurrently(deployment, 100)).toBeUndefined();
  });

  test.each([0, 1, 3])(
    "a process killed %i ms after the provider's reply never sends the used token again, and marks the connection as uncertain",
    async (afterMs) => {
      expect(await crashDuringRefresh(deployment, afterMs)).toBeUndefined();
    },
  );

  test("the log contains no token", () => {
    expect(deployment.readOutput()).toContain("postV1OauthProvidersByProviderIdToken");
    expect(findSecretsInOutput(deployment)).toEqual([]);
  });
});
