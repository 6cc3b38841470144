/** Any replica can start, finish, refuse and end a sign-in. The embedded database has one process by design. */
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { approve } from "../../../../test/fixtures/authorization-server.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../../../test/fixtures/openid-provider.ts";
import {
  createDatabase,
  createWorkspace,
  startServer,
  type TestDatabase,
  type TestServer,
} from "../../../../test/harness.ts";
import { answerQuestion, Browser, type Company, runSignIn, setUpCompany } from "../../../../test/sso.ts";

describe.skipIf(inject("engine") !== "postgres")("two replicas (PostgreSQL only)", () => {
  let database: TestDatabase;
  let here: TestServer;
  let there: TestServer;
  let provider: OpenIdProvider;
  let acme: Company;
  beforeAll(async () => {
    database = await createDatabase();
    here = await startServer(database);
    there = await startServer(database, { env: { PUBLIC_URL: here.url } });
    provider = await startOpenIdProvider();
    acme = await setUpCompany(here, provider, await createWorkspace(here));
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close(), provider?.close()]);
    await database?.drop();
  });

  const start = () => `/v1/sso/${acme.connector.id}/start`;

  test("a sign-in that starts at one ends at the other, once", async () => {
    provider.people.set("ada", { email: `ada@${acme.domain}` });
    const browser = new Browser();
    const started = await browser.open(here, start());
    const back = await approve(started.headers.get("location")!, "ada", "/callback");
    const replies = await Promise.all(
      [here, there].map((server) => server.call(back.pathname + back.search, { headers: browser.headers })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 400]);
  });

  test("first sign-ins at both make one member", async () => {
    provider.people.set("bob", { email: `bob@${acme.domain}` });
    const replies = await Promise.all(
      [here, there, here, there].map((back) => runSignIn(here, new Browser(), start(), "bob", { back })),
    );
    expect(replies.map(({ status }) => status)).toEqual([303, 303, 303, 303]);
    const { items } = (await here.call("/v1/members?search=bob", { headers: acme.owner.auth })).body;
    expect(items).toHaveLength(1);
  });

  test("a question that one asks is answered at the other, once", async () => {
    provider.people.set("cem", { email: `cem@${acme.domain}` });
    const browser = new Browser();
    const headers = { "sec-fetch-site": "cross-site" };
    const asked = await runSignIn(here, browser, start(), "cem", { headers });
    const replies = await Promise.all(
      [there, here, there].map((server) => answerQuestion(server, browser, asked)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await there.call("/v1/me", { headers: browser.auth })).status).toBe(200);
  });

  test("a connector that is disabled at one ends its sessions at the other", async () => {
    const browser = new Browser();
    await runSignIn(here, browser, start(), "ada");
    const me = async () => (await there.call("/v1/me", { headers: browser.auth })).status;
    expect(await me()).toBe(200);
    await here.call(`/v1/sso/${acme.connector.id}`, {
      method: "PATCH",
      body: { enabled: false },
      headers: acme.owner.auth,
    });
    await expect.poll(me, { timeout: 5_000 }).toBe(401);
  });
});
