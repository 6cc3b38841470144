import { describe, expect, test } from "vitest";
import {
  createDatabase,
  createWorkspace,
  signUp,
  startServer,
  type TestServer,
} from "../../../test/harness.ts";
import { seedConnector } from "../../../test/sso.ts";
import { removeLeftovers } from "../../app.ts";
import { fillDemo, removeDemo } from "../demo/index.ts";

async function withServer(env: Record<string, string>, work: (server: TestServer) => Promise<void>) {
  const database = await createDatabase();
  const server = await startServer(database, { env });
  try {
    await work(server);
  } finally {
    await server.close();
    await database.drop();
  }
}

const read = async (server: TestServer) => (await server.call("/v1/instance")).body;

const expectFacts = async (server: TestServer, expected: object) =>
  expect(await read(server)).toMatchObject(expected);

describe("what a sign-in page needs to know", () => {
  test("changes with the first account and the first connector, and names nobody", async () => {
    await withServer({ SIGNUP: "invited", BOOTSTRAP: "closed" }, async (server) => {
      expect(await read(server)).toEqual({
        ...{ isEmpty: true, isDemo: false, signUp: "open", bootstrap: "closed" },
        signInMethods: { password: true, passkey: true, sso: false },
      });
      const { owner, orgId } = await createWorkspace(server);
      await expectFacts(server, { isEmpty: false, signUp: "invited" });
      await seedConnector(server, owner);
      await expectFacts(server, { signInMethods: { sso: true } });
      const text = JSON.stringify(await read(server));
      for (const hidden of [orgId, owner.email, "Acme"]) expect(text).not.toContain(hidden);
    });
  });

  test("is current, also for a request that arrives while an earlier one is being answered", async () => {
    await withServer({}, async (server) => {
      const { query } = server.engine;
      const [hasRead, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      server.engine.query = async (text, values, options) => {
        const result = await query(text, values, options);
        if (text.includes('"isEmpty"')) {
          hasRead.resolve();
          await mayAnswer.promise;
        }
        return result;
      };
      const earlier = read(server);
      await hasRead.promise;
      await createWorkspace(server);
      const later = read(server);
      // The request must have arrived before the earlier one is answered.
      await server.call("/v1/no-such-route");
      mayAnswer.resolve();
      expect(await earlier).toMatchObject({ isEmpty: true });
      expect(await later).toMatchObject({ isEmpty: false });
      server.engine.query = query;
    });
  });

  test("says that the instance holds the demo, until it is removed", { timeout: 120_000 }, async () => {
    await withServer({}, async (server) => {
      await fillDemo(server.platform);
      await expectFacts(server, { isDemo: true, isEmpty: false });
      await removeDemo(server.platform, { removeLeftovers });
      await expectFacts(server, { isDemo: false, isEmpty: true });
      await signUp(server);
      await expectFacts(server, { isEmpty: false });
    });
  });
});
