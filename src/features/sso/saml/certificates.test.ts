/** Certificates of SAML connectors: changes that are approved, ends that are announced, and rotation of our own. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useClock } from "../../../../test/clock.ts";
import {
  type SamlIdentityProvider,
  startSamlIdentityProvider,
} from "../../../../test/fixtures/saml-idp/server.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  createBrowser,
  createSamlConnector,
  readSession,
  runSsoJob,
  seedDomain,
  signInBySaml,
} from "../../../../test/saml.ts";
import { sql } from "../../../platform/db/index.ts";
import { readMails } from "../../../platform/mail/index.ts";
import { createServiceProviderKeys, type ServiceProviderKeys } from "../saml-protocol/index.ts";

describe("certificates of SAML", () => {
  const server = useServer();
  const at = useClock();
  let idp: SamlIdentityProvider;
  let firstKeys: ServiceProviderKeys;
  let secondKeys: ServiceProviderKeys;
  let acme: Workspace;
  let connector: Awaited<ReturnType<typeof createSamlConnector>>;

  beforeAll(async () => {
    [firstKeys, secondKeys] = (await Promise.all([
      createServiceProviderKeys("first", new Date(), { bits: 2048 }),
      createServiceProviderKeys("second", new Date(), { bits: 2048 }),
    ])) as [ServiceProviderKeys, ServiceProviderKeys];
    idp = await startSamlIdentityProvider({ keys: firstKeys });
    acme = await createWorkspace(server);
    await seedDomain(server, acme, "acme.test");
    connector = await createSamlConnector(server, acme.owner, idp);
  });
  afterAll(() => idp?.close());
  beforeEach(() => {
    idp.changeKeys(firstKeys);
    idp.options = {};
    idp.requestCertificate = connector.certificatePem;
    for (const name of ["ann", "eve"])
      idp.accounts.set(name, { nameId: `id-of-${name}`, attributes: { email: `${name}@acme.test` } });
  });

  const me = (session: string | undefined) =>
    server.call("/v1/me", { headers: session ? { authorization: `Bearer ${session}` } : {} });
  const readCode = (page: { text: string }) => /<code>(\w+)<\/code>/.exec(page.text)?.[1];

  describe("a change of the provider's metadata", () => {
    const path = () => `/v1/sso/${connector.id}/metadata`;
    const headers = () => acme.owner.auth;

    test("is shown, and takes effect when an admin approves exactly this change", async () => {
      idp.changeKeys(secondKeys);
      const browser = createBrowser();
      expect(readCode(await signInBySaml(browser, connector.startUrl, "ann"))).toBe(
        "saml_signature_key_unknown",
      );
      const refreshed = await server.call(`${path()}/refresh`, { method: "POST", headers: headers() });
      const { change } = refreshed.body.metadata;
      expect(change).toMatchObject({
        certificatesAdded: [{ subject: "CN=second" }],
        certificatesRemoved: [{ subject: "CN=first" }],
        endpointsAdded: [],
      });
      expect((await server.call(path(), { headers: headers() })).body).toEqual(refreshed.body);
      expect(readCode(await signInBySaml(createBrowser(), connector.startUrl, "ann"))).toBe(
        "saml_signature_key_unknown",
      );
      const approve = (body: object) => server.call(`${path()}/approve`, { headers: headers(), body });
      expect(await approve({ changeId: "0".repeat(32) })).toMatchObject({
        status: 409,
        body: { error: "metadata_changed_again" },
      });
      const approved = await approve({ changeId: change.id });
      expect(approved.body.connector.provider.certificates).toMatchObject([{ subject: "CN=second" }]);
      expect(await approve({})).toMatchObject({ status: 409, body: { error: "no_metadata_change" } });
      const signedIn = createBrowser();
      await signedIn.follow(await signInBySaml(signedIn, connector.startUrl, "ann"));
      expect((await me(readSession(signedIn, server))).status).toBe(200);
      const audit = await server.call("/v1/audit-events?limit=20", { headers: headers() });
      const actions = audit.body.items.map(({ action }: { action: string }) => action);
      expect(actions).toEqual(expect.arrayContaining(["sso.metadata_change_found", "sso.metadata_approved"]));
    });

    test("is found by the job, and a provider that changes back leaves nothing to approve", async () => {
      const makeDue = () =>
        server.platform.db.run(sql`update sso_saml_metadata set next_check_at = now() - interval '1 minute'`);
      const read = async () => (await server.call(path(), { headers: headers() })).body.metadata;
      idp.changeKeys(firstKeys);
      await makeDue();
      await runSsoJob(server, "sso.metadata");
      const { change } = await read();
      expect(change).toMatchObject({ certificatesAdded: [{ subject: "CN=first" }] });
      const mails = await readMails(server.platform, 50);
      const mail = mails.find(({ to, subject }) => to === acme.owner.email && subject.includes("metadata"));
      expect(mail?.text).toContain(change.certificatesAdded[0].fingerprint);
      idp.changeKeys(secondKeys);
      await makeDue();
      await runSsoJob(server, "sso.metadata");
      expect((await read()).change).toBeNull();
    });

    test("of another entity is refused, and the failure is shown", async () => {
      const xml = (await (await fetch(idp.metadataUrl)).text()).replaceAll(
        idp.entityId,
        "https://other.test/",
      );
      const reply = await server.call(`${path()}/refresh`, {
        headers: headers(),
        body: { metadataXml: xml },
      });
      expect(reply).toMatchObject({ status: 422, body: { error: "saml_metadata_other_entity" } });
      const { metadata } = (await server.call(path(), { headers: headers() })).body;
      expect(metadata).toMatchObject({ failureCode: "saml_metadata_other_entity", change: null });
    });
  });

  describe("a certificate that ends", () => {
    const day = 24 * 3600_000;
    /** Certificates are valid for ten years. */
    const createKeysEndingIn = (days: number) => {
      const start = new Date(Date.now() + days * day);
      start.setUTCFullYear(start.getUTCFullYear() - 10);
      return createServiceProviderKeys("ending", start, { bits: 2048 });
    };
    const connect = async (keys: ServiceProviderKeys) => {
      idp.changeKeys(keys);
      const metadataXml = await (await fetch(idp.metadataUrl)).text();
      const ending = await createSamlConnector(
        server,
        acme.owner,
        { metadataUrl: undefined },
        { metadataXml },
      );
      idp.requestCertificate = ending.certificatePem;
      return ending;
    };
    const listMails = async (id: string) =>
      (await readMails(server.platform, 200)).filter(
        ({ to, subject, text }) =>
          to === acme.owner.email && subject.includes("certificate") && text?.includes(id),
      );

    test("soon is shown and announced 30 and 7 days before, once each", async () => {
      const ending = await connect(await createKeysEndingIn(20));
      expect(ending.health).toMatchObject({
        certificateState: "ends_soon",
        certificateEndsAt: ending.provider.certificates[0].notAfter,
      });
      expect(connector.health.certificateState).toBe("valid");
      const attention = await server.call("/v1/overview/attention", { headers: acme.owner.auth });
      const warned = attention.body.items.filter(
        ({ kind }: { kind: string }) => kind === "sso_certificate_ends",
      );
      expect(warned).toMatchObject([
        {
          ...{ severity: "warning", code: "ends_soon", dueAt: ending.health.certificateEndsAt },
          subject: { type: "sso_connector", id: ending.id },
        },
      ]);
      for (const count of [1, 1]) {
        await runSsoJob(server, "sso.certificates");
        const mails = await listMails(ending.id);
        expect(mails).toHaveLength(count);
        expect(mails[0]!.text).toContain(ending.provider.certificates[0].fingerprint);
      }
      for (const [days, count] of [
        [12, 1],
        [14, 2],
        [21, 2],
      ] as const)
        await at(Date.now() + days * day, async () => {
          await runSsoJob(server, "sso.certificates");
          expect(await listMails(ending.id)).toHaveLength(count);
        });
      expect(await listMails(connector.id)).toHaveLength(0);
      const audit = await server.call("/v1/audit-events?action=sso.certificate_warning", {
        headers: acme.owner.auth,
      });
      expect(audit.body.items.map(({ after }: { after: { days: number } }) => after.days)).toEqual([7, 30]);
    });

    test("is not announced while the organization is suspended, and its metadata is not read", async () => {
      const { db } = server.platform;
      const beta = await createWorkspace(server);
      idp.changeKeys(await createKeysEndingIn(20));
      const waiting = await createSamlConnector(server, beta.owner, idp);
      const setSuspended = (isSuspended: boolean) =>
        db.run(sql`update organizations set suspended_at = case when ${isSuspended}::boolean then now() end
          where id = ${beta.orgId}`);
      await db.run(sql`update sso_saml_metadata set next_check_at = now() - interval '1 minute'
        where connector_id = ${waiting.id}`);
      const isRead = async () =>
        (await db.row(sql`
          select 1 from sso_saml_metadata where connector_id = ${waiting.id} and next_check_at > now()`)) !==
        undefined;
      const countMails = async () =>
        (await readMails(server.platform, 200)).filter(
          ({ to, subject }) => to === beta.owner.email && subject.includes("certificate"),
        ).length;
      const runJobs = async () => {
        for (const name of ["sso.metadata", "sso.certificates"]) await runSsoJob(server, name);
      };
      await setSuspended(true);
      await runJobs();
      expect([await isRead(), await countMails()]).toEqual([false, 0]);
      await setSuspended(false);
      await runJobs();
      expect([await isRead(), await countMails()]).toEqual([true, 1]);
    });

    test("and has ended is shown, and still accepted", async () => {
      const ending = await connect(await createKeysEndingIn(-30));
      expect(ending.health.certificateState).toBe("ended");
      const browser = createBrowser();
      await browser.follow(await signInBySaml(browser, ending.startUrl, "eve"));
      expect((await me(readSession(browser, server))).body.user.email).toBe("eve@acme.test");
    });
  });

  test("rotate their certificate, and still open what was encrypted for the earlier one", async () => {
    idp.changeKeys(secondKeys);
    const headers = acme.owner.auth;
    const rotated = await server.call(`/v1/sso/${connector.id}/saml/certificate`, {
      method: "POST",
      headers,
    });
    const after = rotated.body.connector;
    expect(after.certificate.fingerprint).not.toBe(connector.certificate.fingerprint);
    expect(after.earlierCertificateUntil).toBeGreaterThan(Date.now());
    idp.requestCertificate = after.certificatePem;
    for (const certificate of [connector.certificatePem, after.certificatePem]) {
      idp.options = { encryptFor: certificate };
      const browser = createBrowser();
      await browser.follow(await signInBySaml(browser, connector.startUrl, "ann"));
      expect((await me(readSession(browser, server))).status).toBe(200);
    }
    const xml = await (await fetch(connector.metadataUrl)).text();
    expect(xml.match(/use="signing"/g)).toHaveLength(2);
    connector = after;
  });
});
