/** What a suspended organization can no longer do, and that all of it works again after the restoration. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminEnv, createAdmin, restore, suspend } from "../../../test/admin.ts";
import { claim, createAutomation, createRunner, everyDay, queueRun } from "../../../test/automations.ts";
import { runSyncs, sweepConnector } from "../../../test/connectors.ts";
import {
  bootstrap,
  createDatabase,
  createKey,
  createMcpToken,
  createWorkspace,
  invite,
  joinWorkspace,
  type Person,
  signIn,
  signUp,
  startServer,
  type TestDatabase,
  type TestServer,
  type Workspace,
} from "../../../test/harness.ts";
import { createEndpoint, deliver, fanOut, mail, mailsTo } from "../../../test/notifications.ts";
import { connectDirectory } from "../../../test/scim.ts";
import { openSse } from "../../../test/sse.ts";
import { seedConnector, seedDomain } from "../../../test/sso.ts";
import { insertConnector, pushBody, signedHeaders } from "../../../test/webhooks.ts";
import {
  beat,
  createRegistrationToken,
  createWorker,
  passTime,
  reportRuntime,
  runWorkerJob,
} from "../../../test/workers.ts";
import { sql } from "../../platform/db/index.ts";
import { newId } from "../../platform/ids.ts";
import { startDueAutomations } from "../automations/jobs.ts";

let database: TestDatabase;
let server: TestServer;
/** Another process of the same instance. The embedded database has one process. */
let replica: TestServer;
let admin: Person;
beforeAll(async () => {
  database = await createDatabase();
  server = await startServer(database, { env: adminEnv });
  replica = database.url ? await startServer(database, { env: adminEnv }) : server;
  admin = await createAdmin(server);
});
afterAll(async () => {
  if (replica !== server) await replica.close();
  await server.close();
  await database.drop();
});

const refused = {
  status: 403,
  body: {
    error: "forbidden",
    reason: "organization_suspended",
    message: expect.stringContaining("Ask an admin"),
  },
};
const stop = async ({ orgId }: Pick<Workspace, "orgId">) =>
  expect((await suspend(server, admin, orgId)).status).toBe(200);
const start = async ({ orgId }: Pick<Workspace, "orgId">) =>
  expect((await restore(server, admin, orgId)).status).toBe(200);

describe("every credential of a suspended organization", () => {
  test("is refused at once on every replica, and is accepted again after the restoration", async () => {
    const acme = await createWorkspace(server);
    const { owner } = acme;
    const member = await joinWorkspace(server, acme, "member");
    const key = await createKey(server, owner);
    const mcp = await createMcpToken(server, owner);
    const runner = await createRunner(server, owner.auth);
    const run = await queueRun(server, owner.auth);
    const { credential } = await claim(server, runner.auth, run.id);
    const directory = await connectDirectory(server, acme);
    const uses: [string, Record<string, string>][] = [
      ["/v1/organization", owner.auth],
      ["/v1/members", { ...member.auth, "x-organization-id": acme.orgId }],
      ["/v1/automations", key.auth],
      ["/v1/me", key.auth],
      ["/v1/organizations", key.auth],
      ["/v1/me", mcp.auth],
      ["/v1/automation-runner/work", runner.auth],
      [`/v1/automation-runs/${run.id}`, { authorization: `Bearer ${credential}` }],
    ];
    // Every cache knows the callers.
    for (const [path, headers] of uses)
      for (const one of [server, replica]) expect((await one.call(path, { headers })).status, path).toBe(200);
    expect((await directory.call("/Users")).status).toBe(200);

    await stop(acme);
    for (const [path, headers] of uses) {
      expect(await server.call(path, { headers }), path).toMatchObject(refused);
      await expect.poll(() => replica.call(path, { headers }), { timeout: 850 }).toMatchObject(refused);
    }
    const scim = await directory.call("/Users");
    expect(scim).toMatchObject({
      status: 403,
      body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "403" },
    });
    expect(scim.body.detail).toContain("suspended");

    await start(acme);
    for (const [path, headers] of uses.slice(0, 7))
      expect((await server.call(path, { headers })).status, path).toBe(200);
    expect((await directory.call("/Users")).status).toBe(200);
  });

  test("changes nothing: a write is refused before its body is read", async () => {
    const acme = await createWorkspace(server);
    const key = await createKey(server, acme.owner);
    await stop(acme);
    const body = { name: "New", instructions: "Do it.", schedule: { kind: "manual" } };
    expect(await server.call("/v1/automations", { body, headers: key.auth })).toMatchObject(refused);
    expect(
      await server.call("/v1/organization", {
        method: "DELETE",
        body: { confirm: "x" },
        headers: acme.owner.auth,
      }),
    ).toMatchObject(refused);
    await start(acme);
    expect((await server.call("/v1/automations", { headers: key.auth })).body.items).toEqual([]);
  });

  test("ends open streams at once, on every replica", async () => {
    const acme = await createWorkspace(server);
    const runner = await createRunner(server, acme.owner.auth);
    const streams = await Promise.all(
      [server, replica].map(({ url }) => openSse(`${url}${runner.eventsPath}`, runner.auth)),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await stop(acme);
    await Promise.all(streams.map(({ ended }) => ended));
    await start(acme);
  });
});

describe("a worker of a suspended organization", () => {
  test("cannot report or register, and is not removed before it could come back", async () => {
    const acme = await createWorkspace(server);
    const worker = await createWorker(server, acme.owner.auth);
    const registration = await createRegistrationToken(server, acme.owner.auth);
    expect((await beat(server, worker, 1)).status).toBe(200);
    await stop(acme);
    expect(await beat(server, worker, 2)).toMatchObject(refused);
    const body = { name: "another", instanceId: "instance-0001" };
    expect(await server.call("/v1/workers/register", { body, headers: registration.auth })).toMatchObject(
      refused,
    );
    await passTime(server, worker.id, 30 * 24 * 3600);
    const count = async () =>
      (await server.platform.db.rows(sql`select 1 from workers where id = ${worker.id}`)).length;
    await runWorkerJob(server, "workers.fleet");
    expect(await count()).toBe(1);
    await start(acme);
    await runWorkerJob(server, "workers.fleet");
    expect(await count()).toBe(1);
    expect((await beat(server, worker, 3)).status).toBe(200);
    // A day after the restoration, a worker that did not come back is removed as usual.
    await passTime(server, worker.id, 30 * 24 * 3600);
    await server.platform.db.run(
      sql`update organizations set restored_at = now() - interval '2 days' where id = ${acme.orgId}`,
    );
    await runWorkerJob(server, "workers.fleet");
    expect(await count()).toBe(0);
  });

  test("keeps its upgrade: it does not time out, and a rollout asks nobody until the restoration", async () => {
    const acme = await createWorkspace(server);
    const { auth } = acme.owner;
    const [asked, later] = [await createWorker(server, auth), await createWorker(server, auth)];
    await reportRuntime(server, asked);
    const body = { version: "2.0.0", percent: 100, labels: [] };
    expect((await server.call("/v1/worker-rollouts", { body, headers: auth })).status).toBe(201);
    await reportRuntime(server, later);
    await stop(acme);
    const { db } = server.platform;
    await db.run(sql`update worker_upgrades set deadline_at = now() - interval '1 minute'
      where org_id = ${acme.orgId}`);
    const listUpgrades = () =>
      db.rows(
        sql`select worker_id as id, state from worker_upgrades where org_id = ${acme.orgId} order by id`,
      );
    const runJobs = async () => {
      for (const name of ["workers.sweep", "workers.fleet"] as const) await runWorkerJob(server, name);
    };
    await runJobs();
    expect(await listUpgrades()).toEqual([{ id: asked.id, state: "requested" }]);
    await start(acme);
    await runJobs();
    expect(await listUpgrades()).toEqual(
      expect.arrayContaining([asked, later].map(({ id }) => ({ id, state: "requested" }))),
    );
    expect((await reportRuntime(server, asked, { version: "2.0.0" })).status).toBe(200);
    expect(await listUpgrades()).toContainEqual({ id: asked.id, state: "upgraded" });
  });
});

describe("a person in a suspended organization", () => {
  test("signs in, sees it as suspended, and uses other organizations", async () => {
    const acme = await createWorkspace(server, "Stopped");
    const { owner } = acme;
    const other = (await server.call("/v1/organizations", { body: { name: "Other" }, headers: owner.auth }))
      .body.organization.id;
    await server.call("/v1/me/active-organization", {
      body: { organizationId: acme.orgId },
      headers: owner.auth,
    });
    await stop(acme);

    const session = await signIn(server, owner);
    const listed = (await server.call("/v1/organizations", { headers: session })).body.items;
    expect(
      listed.map(({ id, suspendedAt }: { id: string; suspendedAt: number | null }) => [id, suspendedAt]),
    ).toEqual([
      [other, null],
      [acme.orgId, expect.any(Number)],
    ]);
    const me = (await server.call("/v1/me", { headers: owner.auth })).body;
    expect(me).toMatchObject({ activeOrganizationId: acme.orgId, permissions: [] });
    expect(me.organizations).toContainEqual(
      expect.objectContaining({ organizationId: acme.orgId, suspendedAt: expect.any(Number) }),
    );
    const inOther = { ...owner.auth, "x-organization-id": other };
    expect((await server.call("/v1/automations", { headers: inOther })).status).toBe(200);
    const back = { body: { organizationId: acme.orgId }, headers: session };
    expect(await server.call("/v1/me/active-organization", back)).toMatchObject(refused);
    await start(acme);
    expect((await server.call("/v1/me/active-organization", back)).status).toBe(200);
  });

  test("cannot delete it with the account", async () => {
    const acme = await createWorkspace(server, "Kept");
    await stop(acme);
    const { slug } = (await server.call("/v1/organizations", { headers: acme.owner.auth })).body.items[0];
    const body = { confirm: acme.owner.email, deleteOrganizations: [slug] };
    expect(await server.call("/v1/me", { method: "DELETE", body, headers: acme.owner.auth })).toMatchObject({
      status: 409,
      body: { error: "organization_suspended", organizations: [{ id: acme.orgId }] },
    });
  });

  test("nobody joins it: not by invitation, by claim or by single sign-on", async () => {
    const acme = await createWorkspace(server);
    await seedDomain(server, acme.orgId);
    const connector = await seedConnector(server, acme.owner);
    const { token, invitation } = await invite(server, acme.owner);
    const guest = await signUp(server, "Guest");
    await server.platform.db.run(
      sql`update users set email = ${invitation.email}, email_verified = true where id = ${guest.userId}`,
    );
    const provisional = await bootstrap(server);
    for (const one of [acme, provisional]) await stop(one);
    expect(
      await server.call("/v1/invitations/accept", { body: { token }, headers: guest.auth }),
    ).toMatchObject(refused);
    const claimed = { body: { token: provisional.claim.token }, headers: guest.auth };
    expect(await server.call("/v1/bootstrap/claims/accept", claimed)).toMatchObject(refused);
    expect(await server.call(`/v1/sso/${connector.id}/start`)).toMatchObject(refused);
    await start(acme);
    expect(
      (await server.call("/v1/invitations/accept", { body: { token }, headers: guest.auth })).status,
    ).toBe(200);
  });
});

describe("the work of a suspended organization", () => {
  test("schedules start nothing, and a restored automation has one missed run", async () => {
    const acme = await createWorkspace(server);
    const automation = await createAutomation(server, acme.owner.auth, { schedule: everyDay });
    await stop(acme);
    await server.platform.db.run(
      sql`update automations set next_run_at = now() - interval '10 days' where id = ${automation.id}`,
    );
    await startDueAutomations(server.platform);
    const count = async () =>
      (await server.platform.db.row<{ count: number }>(
        sql`select count(*) from automation_runs where automation_id = ${automation.id}`,
      ))!.count;
    expect(await count()).toBe(0);
    await start(acme);
    await startDueAutomations(server.platform);
    const runs = (
      await server.call(`/v1/automation-runs?automationId=${automation.id}`, { headers: acme.owner.auth })
    ).body.items;
    expect(runs.filter(({ reason }: { reason: string }) => reason === "missed")).toHaveLength(1);
    expect(runs.length).toBeLessThanOrEqual(2);
  });

  test("a signed delivery of a code host is refused and not stored, and can be sent again later", async () => {
    const acme = await createWorkspace(server);
    const connector = await insertConnector(server.platform, acme.orgId);
    const body = pushBody(connector);
    const headers = signedHeaders.github(connector.secret, body);
    const send = async (to: TestServer, name = "push") => {
      const response = await fetch(`${to.url}/v1/webhooks/connectors/codehost?connector=${connector.id}`, {
        method: "POST",
        headers: { ...headers, "x-github-event": name },
        body,
      });
      return { status: response.status, body: await response.json() };
    };
    await stop(acme);
    for (const one of [server, replica])
      for (const name of ["push", "ping"]) expect(await send(one, name)).toMatchObject(refused);
    const stored = await server.platform.db.rows(
      sql`select 1 from webhook_deliveries where scope = ${connector.id} or target_connector_id = ${connector.id}`,
    );
    expect(stored).toEqual([]);
    await start(acme);
    expect(await send(server)).toMatchObject({ status: 202, body: { queued: true } });
  });

  test("syncs and checks of repositories wait", async () => {
    const acme = await createWorkspace(server);
    const connector = await insertConnector(server.platform, acme.orgId, {
      cloneUrl: "http://127.0.0.1:9/x.git",
    });
    await server.platform.db.run(sql`
      insert into connector_syncs (id, org_id, connector_id, cause)
      values (${newId("syn")}, ${acme.orgId}, ${connector.id}, 'manual')`);
    const read = () =>
      server.platform.db.row<{ attempt: number; checkedAt: number | null }>(sql`
        select s.attempt, c.checked_at as "checkedAt" from connector_syncs s join connectors c on c.id = s.connector_id
        where c.id = ${connector.id}`);
    await stop(acme);
    await runSyncs(server);
    await sweepConnector(server, connector.id);
    expect(await read()).toMatchObject({ attempt: 0 });
    await start(acme);
    await runSyncs(server);
    expect((await read())!.attempt).toBeGreaterThan(0);
  });

  test("webhooks and mails about events wait, and are sent after the restoration", async () => {
    const acme = await createWorkspace(server);
    const { owner, orgId } = acme;
    await server.platform.db.run(sql`update users set email_verified = true where id = ${owner.userId}`);
    const endpoint = await createEndpoint(server, owner.auth);
    const run = await queueRun(server, owner.auth);
    await claim(server, owner.auth, run.id);
    const body = { attempt: 1, status: "failed", error: { message: "It failed.", retryable: false } };
    expect(
      (await server.call(`/v1/automation-runs/${run.id}/complete`, { body, headers: owner.auth })).status,
    ).toBe(200);
    const attempts = async () =>
      (
        await server.platform.db.rows<{ attempt: number }>(
          sql`select attempt from webhook_endpoint_deliveries where endpoint_id = ${endpoint.id}`,
        )
      ).map(({ attempt }) => attempt);
    await stop(acme);
    await fanOut(server);
    expect(await attempts()).toEqual([]);
    await start(acme);
    await fanOut(server);
    expect(await attempts()).toEqual([0]);
    await stop({ orgId });
    await deliver(server);
    await mail(server);
    expect(await attempts()).toEqual([0]);
    expect(await mailsTo(server, owner.email)).toEqual([]);
    await start(acme);
    await deliver(server);
    await mail(server);
    expect(await attempts()).toEqual([1]);
    expect(await mailsTo(server, owner.email)).toHaveLength(1);
  });
});
