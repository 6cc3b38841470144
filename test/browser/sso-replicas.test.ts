import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Balancer, startBalancer } from "../fixtures/balancer.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../fixtures/openid-provider.ts";
import { createWorkspace, startServer, type TestServer } from "../harness.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { type Company, setUpCompany } from "../sso.ts";
import { openWindow, useBrowser } from "./browser.ts";

const hasPostgres = await isPostgresAvailable();
if (!hasPostgres)
  console.warn("SKIPPED: OpenID Connect on two replicas needs PostgreSQL. Set TEST_DATABASE_URL.");

describe.skipIf(!hasPostgres)("OpenID Connect in a browser, on two replicas", () => {
  const browser = useBrowser();
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let balancer: Balancer;
  let replicas: TestServer[];
  let front: TestServer;
  let provider: OpenIdProvider;
  let acme: Company;

  beforeAll(async () => {
    [balancer, database, provider] = await Promise.all([
      startBalancer(),
      makeDatabase(),
      startOpenIdProvider(),
    ]);
    const options = { env: { PUBLIC_URL: balancer.url } };
    const shared = { kind: "postgres", ...database } as const;
    replicas = [await startServer(shared, options), await startServer(shared, options)];
    balancer.targets.push(...replicas.map(({ url }) => url));
    front = { ...replicas[0]!, url: balancer.url };
    acme = await setUpCompany(front, provider, await createWorkspace(front, "Acme"));
    provider.people.set("octo", { email: `octo@${acme.domain}`, name: "Octo" });
  }, 120_000);
  afterAll(async () => {
    await provider?.close();
    await balancer?.close();
    for (const replica of replicas ?? []) await replica.close();
    await database?.drop();
  });

  test("a sign-in that starts at one replica is finished at the other, and its session works at both", async () => {
    balancer.counts.clear();
    const { page, complaints } = await openWindow(browser, front, `/v1/sso/${acme.connector.id}/start`);
    await page.waitForURL(`${provider.issuer}/interaction/**`);
    const first = page.url();
    await page.click("text=Allow as octo");
    await page.waitForURL((url) => url.href !== first && url.pathname.startsWith("/interaction/"));
    await page.click("text=Allow as octo");
    await page.waitForURL(`${front.url}/**`);
    const cookies = await page.context().cookies(front.url);
    const { value } = cookies.find(({ name }) => name === "signalbox_session")!;
    const headers = { authorization: `Bearer ${value}` };
    for (const { url } of replicas) {
      const reply = await fetch(`${url}/v1/me`, { headers });
      expect(reply.status).toBe(200);
      expect(await reply.json()).toMatchObject({
        user: { email: `octo@${acme.domain}` },
        activeOrganizationId: acme.orgId,
      });
    }
    expect([...balancer.counts.values()].filter((count) => count > 0)).toHaveLength(2);
    expect(complaints).toEqual([]);
  });
});
