import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DnsRecord, type DnsServer, startDnsServer } from "../../../../test/fixtures/dns-server.ts";
import {
  createDatabase,
  createWorkspace,
  startServer,
  type TestDatabase,
  type TestServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { newDomain } from "../../../../test/sso.ts";
import { sql } from "../../../platform/db/index.ts";
import { readMails } from "../../../platform/mail/index.ts";
import { jobs } from "../jobs.ts";

/** A real name server, and a server that asks it. */
const records = new Map<string, DnsRecord>();
let dns: DnsServer;
let database: TestDatabase;
let server: TestServer;
let acme: Workspace;
beforeAll(async () => {
  dns = await startDnsServer((name) => records.get(name));
  database = await createDatabase();
  server = await startServer(database, { nameServers: [dns.address] });
  acme = await createWorkspace(server);
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await dns.close();
});

const add = (domain: string, { owner }: Workspace = acme) =>
  server.call("/v1/sso/domains", { body: { domain }, headers: owner.auth });
const verify = (id: string, { owner }: Workspace = acme) =>
  server.call(`/v1/sso/domains/${id}/verify`, { method: "POST", headers: owner.auth });
const remove = (id: string, { owner }: Workspace = acme) =>
  server.call(`/v1/sso/domains/${id}`, { method: "DELETE", headers: owner.auth });
const publish = ({ txtName, txtValue }: { txtName: string; txtValue: string }) =>
  records.set(txtName, { texts: ["v=spf1 -all", txtValue] });

/** A domain with its record. */
async function addVerified(domain = newDomain(), workspace = acme) {
  const { body } = await add(domain, workspace);
  publish(body.domain);
  expect((await verify(body.domain.id, workspace)).status).toBe(200);
  return body.domain;
}

describe("a domain", () => {
  test("is verified by its TXT record", async () => {
    const domain = newDomain();
    const { status, body } = await add(domain.toUpperCase());
    expect(status).toBe(201);
    expect(body.domain).toMatchObject({
      domain,
      verifiedAt: null,
      txtName: `_signalbox-challenge.${domain}`,
    });
    expect(await verify(body.domain.id)).toMatchObject({
      status: 409,
      body: { error: "txt_record_not_found" },
    });
    records.set(body.domain.txtName, { texts: ["signalbox-domain-verification=somebody-elses"] });
    expect((await verify(body.domain.id)).status).toBe(409);
    publish(body.domain);
    const verified = await verify(body.domain.id);
    expect(verified.body.domain.verifiedAt).toBeTypeOf("number");
    expect((await server.call("/v1/sso/domains", { headers: acme.owner.auth })).body.items[0]).toEqual(
      verified.body.domain,
    );
    expect(dns.asked).toContain(`TXT ${body.domain.txtName}`);
  });

  test("without an answer of its name servers is neither verified nor refused", async () => {
    const { body } = await add(newDomain());
    records.set(body.domain.txtName, { reply: "servfail" });
    expect((await verify(body.domain.id)).status).toBe(503);
  });

  test("belongs to one organization until it releases it", async () => {
    const globex = await createWorkspace(server);
    const held = await addVerified();
    const wanted = (await add(held.domain, globex)).body.domain;
    expect(wanted.txtValue).not.toBe(held.txtValue);
    records.set(held.txtName, { texts: [held.txtValue, wanted.txtValue] });
    expect(await verify(wanted.id, globex)).toMatchObject({ status: 409, body: { error: "domain_taken" } });
    // Another organization neither sees nor releases it.
    expect((await remove(held.id, globex)).status).toBe(404);
    expect((await verify(held.id, globex)).status).toBe(404);
    expect((await remove(held.id)).status).toBe(204);
    expect((await verify(wanted.id, globex)).status).toBe(200);
  });

  test.each([
    "gmail.com",
    "co.uk",
    "localhost",
    "example",
    "ex ample.com",
    "-a.example",
    "a..example",
    "1.2.3.4",
  ])("%s is refused", async (domain) => {
    expect((await add(domain)).status).toBe(400);
  });

  test("is named once", async () => {
    const { domain } = await addVerified();
    expect((await add(domain)).body.error).toBe("domain_exists");
  });
});

describe("a verified domain is checked every day", () => {
  const check = async () => {
    await server.platform.db.run(sql`update sso_domains set checked_at = now() - interval '25 hours'`);
    await jobs.find(({ name }) => name === "sso.domains")!.handle(server.platform, {});
  };
  const read = async (id: string) =>
    (await server.call("/v1/sso/domains?limit=100", { headers: acme.owner.auth })).body.items.find(
      (one: { id: string }) => one.id === id,
    );
  const mailsAbout = async (domain: string) =>
    (await readMails(server.platform, 100)).filter(({ subject }) => subject.includes(domain));

  test("and is lost after seven days without its record, of which the admins are told twice", async () => {
    const { id, domain, txtName } = await addVerified();
    records.set(txtName, { texts: [] });
    await check();
    expect(await read(id)).toMatchObject({
      verifiedAt: expect.any(Number),
      failingSince: expect.any(Number),
    });
    await check();
    expect(await mailsAbout(domain)).toHaveLength(1);
    await server.platform.db.run(
      sql`update sso_domains set failing_since = now() - interval '8 days' where id = ${id}`,
    );
    await check();
    expect((await read(id)).verifiedAt).toBeNull();
    expect(await mailsAbout(domain)).toHaveLength(2);
  });

  test("and is lost in a suspended organization too, but nobody there gets a mail", async () => {
    const domain = await addVerified();
    const setSuspended = (suspendedAt: string | null) =>
      server.platform.db.run(
        sql`update organizations set suspended_at = ${suspendedAt}::timestamptz where id = ${acme.orgId}`,
      );
    records.set(domain.txtName, { texts: [] });
    await setSuspended("2026-01-01");
    await check();
    await server.platform.db.run(
      sql`update sso_domains set failing_since = now() - interval '8 days' where id = ${domain.id}`,
    );
    await check();
    await setSuspended(null);
    expect((await read(domain.id)).verifiedAt).toBeNull();
    expect(await mailsAbout(domain.domain)).toEqual([]);
  });

  test("and stays verified when the record comes back, or when nobody answers", async () => {
    const domain = await addVerified();
    records.set(domain.txtName, { texts: [] });
    await check();
    records.set(domain.txtName, { reply: "servfail" });
    await server.platform.db.run(
      sql`update sso_domains set failing_since = now() - interval '8 days' where id = ${domain.id}`,
    );
    await check();
    expect((await read(domain.id)).verifiedAt).not.toBeNull();
    publish(domain);
    await check();
    expect(await read(domain.id)).toMatchObject({ failingSince: null, verifiedAt: expect.any(Number) });
  });
});
