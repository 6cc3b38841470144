import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Balancer, startBalancer } from "../fixtures/balancer.ts";
import { type SamlIdentityProvider, startSamlIdentityProvider } from "../fixtures/saml-idp/server.ts";
import { createWorkspace, startServer, type TestServer, type Workspace } from "../harness.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { createSamlConnector, seedDomain } from "../saml.ts";
import { expectPage, openWindow, press, useBrowser } from "./browser.ts";

const hasPostgres = await isPostgresAvailable();
if (!hasPostgres) console.warn("SKIPPED: SAML on two replicas needs PostgreSQL. Set TEST_DATABASE_URL.");

/** The provider is at `localhost` and the service at 127.0.0.1, so browsers treat them as different sites. */
describe.skipIf(!hasPostgres)("SAML in a browser, on two replicas", () => {
  const browser = useBrowser();
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let balancer: Balancer;
  let replicas: TestServer[];
  let front: TestServer;
  let idp: SamlIdentityProvider;
  let acme: Workspace;
  let connector: Awaited<ReturnType<typeof createSamlConnector>>;

  beforeAll(async () => {
    [balancer, database, idp] = await Promise.all([
      startBalancer(),
      makeDatabase(),
      startSamlIdentityProvider({ host: "localhost" }),
    ]);
    const options = { env: { PUBLIC_URL: balancer.url } };
    const shared = { kind: "postgres", ...database } as const;
    replicas = [await startServer(shared, options), await startServer(shared, options)];
    balancer.targets.push(...replicas.map(({ url }) => url));
    front = { ...replicas[0]!, url: balancer.url };
    acme = await createWorkspace(front, "Acme & Sons");
    await seedDomain(front, acme, "acme.test");
    const metadataXml = await (await fetch(idp.metadataUrl)).text();
    connector = await createSamlConnector(front, acme.owner, { metadataUrl: undefined }, { metadataXml });
    idp.requestCertificate = connector.certificatePem;
  }, 120_000);
  afterAll(async () => {
    await idp?.close();
    await balancer?.close();
    for (const replica of replicas ?? []) await replica.close();
    await database?.drop();
  });
  beforeEach(() => {
    idp.options = {};
    idp.forge = undefined;
    balancer.counts.clear();
    idp.accounts.set("ann", { nameId: "id-of-ann", attributes: { email: "ann@acme.test", name: "Ann" } });
  });

  const open = (address: string) => openWindow(browser, front, address);
  type Page = Awaited<ReturnType<typeof open>>["page"];
  async function logIn(page: Page): Promise<void> {
    await page.waitForURL(`${idp.url}/**`);
    await page.fill("#name", "ann");
    await page.click("#login");
  }
  const findSession = async (page: Page) =>
    (await page.context().cookies(balancer.url)).find(({ name }) => name === "signalbox_session")?.value;
  const me = (session: string) => front.call("/v1/me", { headers: { authorization: `Bearer ${session}` } });

  test("a person who starts here is signed in, and both replicas took part", async () => {
    const { page, complaints } = await open(`/v1/sso/${connector.id}/start?returnTo=/docs`);
    await logIn(page);
    await page.waitForURL(`${balancer.url}/docs`);
    const session = await findSession(page);
    expect((await me(session!)).body).toMatchObject({
      user: { email: "ann@acme.test" },
      activeOrganizationId: acme.orgId,
    });
    expect(balancer.counts.size).toBe(2);
    expect(complaints).toEqual([]);
  });

  test("a person who starts here is sent to the provider by a form, if the connector says so", async () => {
    const change = (binding: string | null) =>
      front.call(`/v1/sso/${connector.id}`, { method: "PATCH", headers: acme.owner.auth, body: { binding } });
    await change("post");
    const { page, complaints } = await open(`/v1/sso/${connector.id}/start?returnTo=/docs`);
    await logIn(page);
    await page.waitForURL(`${balancer.url}/docs`);
    expect(await findSession(page)).toBeDefined();
    expect(complaints).toEqual([]);
    await change(null);
  });

  test("a person who starts at the provider confirms it; the same response is refused at the other replica", async () => {
    const { page } = await open(idp.startUrl(connector.acsUrl, connector.entityId, `${balancer.url}/docs`));
    const posted = page.waitForRequest((request) => request.url() === connector.acsUrl);
    await logIn(page);
    const body = (await posted).postData()!;
    await expectPage(page, "Sign in as Ann?");
    expect(await findSession(page)).toBeUndefined();
    await press(page, "Sign in as Ann");
    await page.waitForURL(`${balancer.url}/docs`);
    expect((await me((await findSession(page))!)).status).toBe(200);
    for (const { url } of replicas) {
      const again = await fetch(`${url}/v1/sso/${connector.id}/saml/acs`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
      });
      expect(again.status).toBe(403);
      expect(await again.text()).toContain("saml_replayed");
    }
  });

  test("a forged response is refused on a page that names the reason", async () => {
    idp.forge = (xml) => xml.replace("id-of-ann", "id-of-the-owner");
    const { page } = await open(`/v1/sso/${connector.id}/start`);
    await logIn(page);
    await page.waitForURL(connector.acsUrl);
    await expectPage(page, "Single sign-on did not sign you in");
    expect(await page.locator("main").textContent()).toContain("saml_signature_digest_mismatch");
    expect(await findSession(page)).toBeUndefined();
  });

  test("a response that another browser requested is refused", async () => {
    const { page } = await open(`/v1/sso/${connector.id}/start`);
    const posted = page.waitForRequest((request) => request.url() === connector.acsUrl);
    await page.route(connector.acsUrl, (route) => route.abort());
    await logIn(page);
    const body = (await posted).postData()!;
    const received = await fetch(connector.acsUrl, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
      redirect: "manual",
    });
    const victim = await open(received.headers.get("location")!);
    await expectPage(victim.page, "Single sign-on did not sign you in");
    expect(await victim.page.locator("main").textContent()).toContain("other_browser");
    expect(await findSession(victim.page)).toBeUndefined();
  });
});
