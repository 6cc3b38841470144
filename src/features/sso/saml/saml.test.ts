import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { edit, find } from "../../../../test/fixtures/saml-idp/dom.ts";
import {
  type SamlIdentityProvider,
  startSamlIdentityProvider,
} from "../../../../test/fixtures/saml-idp/server.ts";
import {
  createWorkspace,
  joinWorkspace,
  signUp,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import {
  answerQuestion,
  createBrowser,
  createSamlConnector,
  reachResponse,
  readForm,
  readSession,
  seedDomain,
  signInBySaml,
} from "../../../../test/saml.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { createServiceProviderKeys, type ServiceProviderKeys } from "../saml-protocol/index.ts";

describe("SAML connectors", () => {
  const server = useServer();
  let idp: SamlIdentityProvider;
  let firstKeys: ServiceProviderKeys;
  let acme: Workspace;
  let connector: Awaited<ReturnType<typeof createSamlConnector>>;

  beforeAll(async () => {
    firstKeys = await createServiceProviderKeys("first", new Date(), { bits: 2048 });
    idp = await startSamlIdentityProvider({ keys: firstKeys });
    acme = await createWorkspace(server);
    await seedDomain(server, acme, "acme.test");
    connector = await createSamlConnector(server, acme.owner, idp, {
      groupMappings: [{ group: "platform", role: "admin" }],
    });
  });
  afterAll(() => idp?.close());
  beforeEach(() => {
    idp.changeKeys(firstKeys);
    idp.options = {};
    idp.forge = undefined;
    idp.requestCertificate = connector.certificatePem;
    for (const name of ["ann", "bob", "cem", "dan", "eve"])
      idp.accounts.set(name, {
        nameId: `id-of-${name}`,
        attributes: { email: `${name}@acme.test`, displayName: `${name} Acme`, groups: ["engineering"] },
      });
  });

  const me = (session: string | undefined) =>
    server.call("/v1/me", { headers: session ? { authorization: `Bearer ${session}` } : {} });
  const listEvents = async (id = connector.id) =>
    (await server.call(`/v1/sso/${id}/events`, { headers: acme.owner.auth })).body.items;
  const lastCode = async () => (await listEvents())[0].code;
  const readCode = (page: { text: string }) => /<code>(\w+)<\/code>/.exec(page.text)?.[1];

  test("are created from the address of metadata, with a key that is never shown", async () => {
    expect(connector).toMatchObject({
      kind: "saml",
      entityId: `${server.url}/v1/sso/${connector.id}/saml/metadata`,
      acsUrl: `${server.url}/v1/sso/${connector.id}/saml/acs`,
      metadataUrl: `${server.url}/v1/sso/${connector.id}/saml/metadata`,
      startUrl: `${server.url}/v1/sso/${connector.id}/start`,
      provider: { entityId: idp.entityId, certificates: [{ subject: "CN=first" }] },
      requireSigned: "either",
      allowsProviderStart: true,
    });
    const stored = await server.platform.db.rows<{ row: string }>(
      sql`select c::text as row from sso_connectors c`,
    );
    const everything = JSON.stringify([connector, stored]);
    expect(everything).not.toContain("PRIVATE KEY");
    expect(everything).toContain("BEGIN CERTIFICATE");
  });

  test("publish metadata for the provider, without a credential", async () => {
    const reply = await fetch(connector.metadataUrl);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("application/samlmetadata+xml");
    const xml = await reply.text();
    expect(xml).toContain(`entityID="${connector.entityId}"`);
    expect(xml).toContain(`Location="${connector.acsUrl}"`);
    expect(xml).not.toContain("PRIVATE");
    const unknown = await fetch(connector.metadataUrl.replace(/sso_\w+/, newId("sso")));
    expect(unknown.status).toBe(404);
  });

  test.each([
    ["neither address nor XML", {}, 400, "invalid_request"],
    ["both", { metadataUrl: "https://a.test/", metadataXml: "<x/>" }, 400, "invalid_request"],
    ["XML with a DOCTYPE", { metadataXml: "<!DOCTYPE x><x/>" }, 422, "saml_markup_forbidden"],
    ["a page instead of metadata", { metadataXml: "<html/>" }, 422, "saml_metadata_not_metadata"],
    ["an address that no request may reach", { metadataUrl: "file:///etc/passwd" }, 400, "invalid_request"],
  ])("are not created from %s", async (_, body, status, error) => {
    const reply = await server.call("/v1/sso/saml", {
      headers: acme.owner.auth,
      body: { name: "Broken", ...body },
    });
    expect(reply).toMatchObject({ status, body: { error } });
  });

  test("are not created from an address that has no metadata", async () => {
    const body = { name: "Broken", metadataUrl: `${idp.url}/nothing` };
    const reply = await server.call("/v1/sso/saml", { headers: acme.owner.auth, body });
    expect(reply).toMatchObject({ status: 502, body: { error: "metadata_unreachable" } });
  });

  test("need the permission, and belong to their organization", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const other = await createWorkspace(server, "Other");
    const create = { name: "X", metadataUrl: idp.metadataUrl };
    expect((await server.call("/v1/sso/saml", { headers: member.auth, body: create })).status).toBe(403);
    for (const [method, path] of [
      ["GET", "metadata"],
      ["POST", "metadata/refresh"],
      ["POST", "metadata/approve"],
      ["POST", "saml/certificate"],
    ] as const) {
      const reply = await server.call(`/v1/sso/${connector.id}/${path}`, {
        method,
        headers: other.owner.auth,
        ...(method === "POST" && path !== "saml/certificate" ? { body: {} } : {}),
      });
      expect(reply).toMatchObject({ status: 404, body: { error: "sso_connector_not_found" } });
    }
  });

  describe("a sign-in that starts here", () => {
    test("creates a member with the mapped role, and a session of the organization", async () => {
      idp.accounts.get("ann")!.attributes.groups = ["platform", "engineering"];
      const browser = createBrowser();
      const received = await signInBySaml(browser, `${connector.startUrl}?returnTo=/docs`, "ann");
      expect(received.location).toContain("/saml/continue?token=");
      const done = await browser.open(received.location!);
      expect(done).toMatchObject({ status: 303, location: `${server.url}/docs` });
      const { body } = await me(readSession(browser, server));
      expect(body).toMatchObject({ user: { email: "ann@acme.test" }, activeOrganizationId: acme.orgId });
      const members = (await server.call("/v1/members", { headers: acme.owner.auth })).body.items;
      expect(members).toContainEqual(expect.objectContaining({ role: "admin", userId: body.user.id }));
      expect(idp.requests.at(-1)).toMatchObject({
        issuer: connector.entityId,
        destination: `${idp.url}/sso`,
      });
      expect((await listEvents())[0]).toMatchObject({ outcome: "succeeded", email: "ann@acme.test" });
    });

    test("by form works like one by redirect", async () => {
      const headers = acme.owner.auth;
      const change = (binding: string | null) =>
        server.call(`/v1/sso/${connector.id}`, { method: "PATCH", headers, body: { binding } });
      expect((await change("post")).body.connector.binding).toBe("post");
      const browser = createBrowser();
      const page = await browser.open(connector.startUrl);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-security-policy")).not.toContain("form-action");
      const { action, fields } = readForm(page);
      const form = await browser.logIn(await browser.post(action, fields), "bob");
      await browser.follow(await browser.post(form.action, form.fields));
      expect((await me(readSession(browser, server))).body.user.email).toBe("bob@acme.test");
      await change(null);
    });

    test("with an encrypted assertion works", async () => {
      idp.options = { encryptFor: connector.certificatePem };
      const browser = createBrowser();
      await browser.follow(await signInBySaml(browser, connector.startUrl, "ann"));
      expect((await me(readSession(browser, server))).status).toBe(200);
    });

    test("is answered once: the same response is not accepted again", async () => {
      const browser = createBrowser();
      const { action, fields } = await reachResponse(browser, connector.startUrl, "ann");
      expect((await browser.post(action, fields)).status).toBe(303);
      const again = await createBrowser().post(action, fields);
      expect(again).toMatchObject({ status: 400, location: null });
    });

    test("is answered once, even by two requests at the same moment", async () => {
      const browser = createBrowser();
      const { action, fields } = await reachResponse(browser, connector.startUrl, "ann");
      const replies = await Promise.all([browser.post(action, fields), browser.post(action, fields)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([303, 400]);
    });

    test("ends only in the browser that started it", async () => {
      const { action, fields } = await reachResponse(createBrowser(), connector.startUrl, "ann");
      const thief = createBrowser();
      const received = await thief.post(action, fields);
      const page = await thief.open(received.location!);
      expect(page.status).toBe(403);
      expect(readCode(page)).toBe("other_browser");
      expect(readSession(thief, server)).toBeUndefined();
    });

    test("is not answered through another connector, not even of the same provider", async () => {
      const other = await createSamlConnector(server, acme.owner, idp, { name: "Second" });
      const browser = createBrowser();
      const { fields } = await reachResponse(browser, connector.startUrl, "ann");
      const page = await browser.post(other.acsUrl, fields);
      expect(page).toMatchObject({ status: 400, location: null });
    });

    test("asks the provider to ask the person again, if the session must be fresh", async () => {
      const browser = createBrowser();
      await browser.follow(await signInBySaml(browser, connector.startUrl, "ann"));
      const page = await browser.follow(await browser.open(`${connector.startUrl}?reauthenticate=true`));
      expect(idp.requests.at(-1)?.forceAuthn).toBe("true");
      const form = await browser.logIn(page, "ann");
      await browser.follow(await browser.post(form.action, form.fields));
      expect((await listEvents())[0]).toMatchObject({ purpose: "reauthenticate", outcome: "succeeded" });
    });

    test("that must be fresh is refused if the provider did not ask again", async () => {
      const browser = createBrowser();
      const { action, fields } = await reachResponse(
        browser,
        `${connector.startUrl}?reauthenticate=true`,
        "ann",
      );
      await server.platform.db.run(sql`
        update sso_attempts set created_at = now() + interval '5 minutes' where purpose = 'reauthenticate'`);
      const page = await browser.post(action, fields);
      expect(readCode(page)).toBe("saml_authentication_old");
    });

    test("that is a test signs nobody in, and shows the attributes", async () => {
      const headers = acme.owner.auth;
      const started = await server.call(`/v1/sso/${connector.id}/test`, { method: "POST", headers });
      const browser = createBrowser();
      const page = await browser.follow(await signInBySaml(browser, started.body.startUrl, "cem"));
      expect(page.text).toContain("cem@acme.test");
      expect(page.text).toContain("id-of-cem");
      expect(readSession(browser, server)).toBeUndefined();
    });
  });

  describe("a sign-in that starts at the provider", () => {
    const startThere = async (browser = createBrowser(), relayState = "") => {
      const page = await browser.open(idp.startUrl(connector.acsUrl, connector.entityId, relayState));
      return { browser, ...(await browser.logIn(page, "dan")) };
    };

    test("asks the person, and then opens the page that the relay state names", async () => {
      const { browser, action, fields } = await startThere(createBrowser(), `${server.url}/docs`);
      const received = await browser.post(action, fields);
      const asked = await browser.open(received.location!);
      expect(readSession(browser, server)).toBeUndefined();
      expect((await browser.open(asked.location!)).text).toContain("dan@acme.test");
      expect(await answerQuestion(browser, server, asked)).toEqual({
        status: 200,
        body: { location: "/docs" },
      });
      expect((await me(readSession(browser, server))).body.user.email).toBe("dan@acme.test");
    });

    test("does not replace the session of another person who cancels", async () => {
      const other = await signUp(server);
      const browser = createBrowser();
      browser.cookies.set(new URL(server.url).host, new Map([["signalbox_session", other.token]]));
      const { action, fields } = await startThere(browser);
      const asked = await browser.open((await browser.post(action, fields)).location!);
      expect((await browser.open(asked.location!)).text).toContain(other.email);
      expect((await answerQuestion(browser, server, asked, "cancel")).status).toBe(200);
      expect((await answerQuestion(browser, server, asked)).status).toBe(404);
      expect(readSession(browser, server)).toBe(other.token);
      expect((await me(other.token)).status).toBe(200);
    });

    test("opens no page of another site", async () => {
      const { browser, action, fields } = await startThere(createBrowser(), "https://evil.test/x");
      const asked = await browser.open((await browser.post(action, fields)).location!);
      expect((await answerQuestion(browser, server, asked)).body).toEqual({ location: "/" });
    });

    test("renews a session of the same person without a question", async () => {
      const browser = createBrowser();
      await browser.follow(await signInBySaml(browser, connector.startUrl, "dan"));
      const { action, fields } = await startThere(browser, `${server.url}/docs`);
      const received = await browser.post(action, fields);
      expect((await browser.open(received.location!)).location).toBe(`${server.url}/docs`);
    });

    test("is not repeated: a replayed assertion is refused by name", async () => {
      const { browser, action, fields } = await startThere();
      expect((await browser.post(action, fields)).status).toBe(303);
      const again = await createBrowser().post(action, fields);
      expect(again.status).toBe(403);
      expect(readCode(again)).toBe("saml_replayed");
      expect(await lastCode()).toBe("saml_replayed");
    });

    test("is not accepted twice by two requests at the same moment", async () => {
      const { browser, action, fields } = await startThere();
      const replies = await Promise.all([browser.post(action, fields), browser.post(action, fields)]);
      expect(replies.map(({ status }) => status).sort()).toEqual([303, 403]);
    });

    test("is refused if the connector does not allow it", async () => {
      const headers = acme.owner.auth;
      const change = (allowsProviderStart: boolean) =>
        server.call(`/v1/sso/${connector.id}`, { method: "PATCH", headers, body: { allowsProviderStart } });
      await change(false);
      const { browser, action, fields } = await startThere();
      expect(readCode(await browser.post(action, fields))).toBe("saml_unsolicited");
      await change(true);
    });
  });

  describe("a response that is not genuine", () => {
    const judge = async () => {
      const browser = createBrowser();
      const page = await signInBySaml(browser, connector.startUrl, "eve");
      expect(readSession(browser, server)).toBeUndefined();
      expect([page.status, page.location]).toEqual([403, null]);
      const code = readCode(page);
      expect(await lastCode()).toBe(code);
      return code;
    };

    test("changed on its way is refused", async () => {
      idp.forge = (xml) => xml.replace("id-of-eve", "id-of-ann");
      expect(await judge()).toBe("saml_signature_digest_mismatch");
    });

    test("without a signature is refused", async () => {
      idp.options = { sign: "nothing" };
      expect(await judge()).toBe("saml_signature_missing");
    });

    test("signed with SHA-1 is refused", async () => {
      idp.options = { algorithm: "rsa-sha1" };
      expect(await judge()).toBe("saml_algorithm_forbidden");
    });

    test("for another audience is refused", async () => {
      idp.options = { audience: "https://other.test/" };
      expect(await judge()).toBe("saml_audience_mismatch");
    });

    test("with a DOCTYPE is refused", async () => {
      idp.forge = (xml) => `<!DOCTYPE x>${xml}`;
      // The request that it answers is not read either, so the attempt stays open.
      expect(await judge()).toBe("saml_markup_forbidden");
    });

    test("with a second assertion is refused", async () => {
      idp.forge = (xml) =>
        edit(xml, (document) => {
          const assertion = find(document, "Assertion");
          assertion.parentNode.appendChild(assertion.cloneNode(true)).setAttribute("ID", "_evil");
        });
      expect(await judge()).toBe("saml_assertion_count");
    });

    test("fills the log of the connector only slowly", async () => {
      const post = () => createBrowser().post(connector.acsUrl, { SAMLResponse: "AAAA" });
      const pages = await Promise.all(Array.from({ length: 60 }, post));
      expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([403]));
      const codes = (await listEvents()).map(({ code }: { code: string }) => code);
      expect(codes.filter((code: string) => code === "saml_xml_invalid").length).toBeLessThanOrEqual(30);
    });
  });

  test("have no client secret, and refuse the fields of OpenID Connect", async () => {
    const headers = acme.owner.auth;
    const patch = (body: object) =>
      server.call(`/v1/sso/${connector.id}`, { method: "PATCH", headers, body });
    expect((await patch({ clientId: "x" })).status).toBe(400);
    expect((await patch({ name: "New name" })).body.connector.name).toBe("New name");
    const rotate = await server.call(`/v1/sso/${connector.id}/client-secret`, {
      headers,
      body: { clientSecret: "x" },
    });
    expect(rotate.status).toBe(400);
    const callback = await fetch(`${server.url}/v1/sso/${connector.id}/callback?state=x`);
    expect(callback.status).toBe(400);
  });
});
