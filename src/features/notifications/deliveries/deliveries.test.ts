import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { claim, complete, queueRun } from "../../../../test/automations.ts";
import {
  createRole,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  verifyAddress,
} from "../../../../test/harness.ts";
import {
  createEndpoint,
  deliver,
  fanOut,
  mail,
  mailsTo,
  prune,
  skipPause,
} from "../../../../test/notifications.ts";
import { type Receiver, startReceiver } from "../../../../test/webhook-receiver.ts";
import type { OrgId, Platform } from "../../../platform/context.ts";
import { sql } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import { newSigningSecret } from "../../../platform/secrets.ts";
import { sealSecret } from "../endpoints/sealing.ts";
import { retryPauses } from "./schedule.ts";
import { queueDeliveries } from "./service.ts";
import * as store from "./store.ts";
import { deliverDue } from "./work.ts";

const server = useServer();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 204 });
  await server.platform.db.run(sql`delete from webhook_endpoints`);
  await server.platform.db.run(sql`delete from rate_limits`);
});
afterAll(() => receiver.close());

const path = "/v1/webhook-endpoints";

/** Lets a run of this person fail. */
async function failRun({ auth }: Pick<Person, "auth">, message = "The tool gave up.") {
  const run = await queueRun(server, auth);
  await claim(server, auth, run.id);
  await complete(server, auth, run.id, { attempt: 1, status: "failed", error: { message } });
  return run;
}

async function setUp(body: Record<string, unknown> = {}) {
  const workspace = await createWorkspace(server);
  const { auth } = workspace.owner;
  const endpoint = await createEndpoint(server, auth, { url: `${receiver.url}/hook`, ...body });
  const call = (suffix: string, options: { method?: string; body?: unknown } = {}) =>
    server.call(`${path}/${endpoint.id}${suffix}`, { ...options, headers: auth });
  const log = async () => (await call("/deliveries")).body.items;
  const sendTest = async () => (await call("/test", { method: "POST" })).body.delivery;
  const read = async () => (await call("")).body.webhookEndpoint;
  return { ...workspace, ...endpoint, call, log, sendTest, read };
}

describe("an event", () => {
  test("reaches an endpoint with a signature, and the list of deliveries shows it", async () => {
    const { owner, orgId, secret, log, call, read } = await setUp();
    const run = await failRun(owner);
    await fanOut(server);
    await deliver(server);

    expect(receiver.received).toHaveLength(1);
    const [{ headers, body, method, path: to }] = receiver.received as [(typeof receiver.received)[0]];
    expect({ method, to, type: headers["content-type"] }).toEqual({
      method: "POST",
      to: "/hook",
      type: "application/json",
    });
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({
      type: "run.failed",
      data: {
        organizationId: orgId,
        runId: run.id,
        automationId: run.automationId,
        automationName: "Triage",
        attempt: 1,
        trigger: "manual",
        reason: "reported",
        message: "The tool gave up.",
        url: `${server.platform.config.publicUrl}/v1/automation-runs/${run.id}`,
      },
    });
    expect(Date.parse((verified as { timestamp: string }).timestamp)).toBeGreaterThan(Date.now() - 60_000);
    expect(() =>
      new Webhook(secret).verify(body.replace("Triage", "Tirage"), headers as Record<string, string>),
    ).toThrow();
    // Verified by hand, as the guide shows.
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);

    const [delivery] = await log();
    expect(delivery).toMatchObject({
      eventId: headers["webhook-id"],
      type: "run.failed",
      status: "succeeded",
      attempt: 1,
      nextAttemptAt: null,
      lastAttempt: { attempt: 1, responseStatus: 204, response: "", error: null },
    });
    const detail = (await call(`/deliveries/${delivery.id}`)).body.delivery;
    expect(detail).toMatchObject({ body, attempts: [delivery.lastAttempt] });
    expect((await read()).lastSucceededAt).toBeTypeOf("number");
    await deliver(server);
    await fanOut(server);
    expect(receiver.received).toHaveLength(1);
  });

  test("shows its body only to people who may see all events of its type", async () => {
    const { owner, orgId, id, log } = await setUp();
    await failRun(owner);
    await fanOut(server);
    const role = await createRole(server, owner, ["organization:read", "notifications:manage"]);
    const person = await joinWorkspace(server, { orgId }, role.id);
    const [delivery] = await log();
    const read = (headers: Person["auth"]) =>
      server.call(`${path}/${id}/deliveries/${delivery.id}`, { headers });
    expect(await read(person.auth)).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
    expect((await read(owner.auth)).body.delivery.body).toContain("Triage");

    // A response may repeat the body.
    receiver.answer = ({ body }) => ({ status: 400, body });
    await deliver(server);
    const list = (headers: Person["auth"]) => server.call(`${path}/${id}/deliveries`, { headers });
    const retry = (headers: Person["auth"]) =>
      server.call(`${path}/${id}/deliveries/${delivery.id}/retry`, { method: "POST", headers });
    const hidden = { responseStatus: 400, response: null };
    expect((await list(person.auth)).body.items).toMatchObject([{ lastAttempt: hidden }]);
    expect((await retry(person.auth)).body.delivery.lastAttempt).toMatchObject(hidden);
    expect((await list(owner.auth)).body.items[0].lastAttempt.response).toContain("Triage");
  });

  test("does not go to the URL of somebody who may not see all events of its type", async () => {
    const { owner, orgId, id } = await setUp();
    await failRun(owner);
    await fanOut(server);
    const role = await createRole(server, owner, [
      "organization:read",
      "notifications:manage",
      "connectors:read",
    ]);
    const person = await joinWorkspace(server, { orgId }, role.id);
    const change = (headers: Person["auth"], body: object) =>
      server.call(`${path}/${id}`, { method: "PATCH", body, headers });
    const refused = { status: 403, body: { reason: "missing_permission" } };
    const url = `${receiver.url}/mine`;
    expect(await change(person.auth, { types: ["sync.failed"], url })).toMatchObject(refused);
    expect((await change(person.auth, { types: ["sync.failed"] })).status).toBe(200);
    expect(await change(person.auth, { url })).toMatchObject(refused);
    await deliver(server);
    expect(receiver.received.map((one) => one.path)).toEqual(["/hook"]);
    expect((await change(owner.auth, { url })).status).toBe(200);
  });

  // The embedded database has one connection, so nothing is in between.
  test.runIf(inject("engine") === "postgres")(
    "that is being fanned out does not go to such a URL either (PostgreSQL only)",
    async () => {
      const { owner, orgId, id } = await setUp();
      const role = await createRole(server, owner, ["notifications:manage", "connectors:read"]);
      const person = await joinWorkspace(server, { orgId }, role.id);
      const change = () =>
        server.call(`${path}/${id}`, {
          ...{ method: "PATCH", headers: person.auth },
          body: { types: ["sync.failed"], url: `${receiver.url}/mine` },
        });
      const event = { id: newId("evt"), type: "run.failed", createdAt: Date.now(), data: {} };
      const changing = await server.platform.db.transaction(async (tx) => {
        await queueDeliveries(tx, orgId as OrgId, event);
        const begun = { reply: change() };
        await Promise.race([begun.reply, sleep(500)]);
        return begun;
      });
      expect(await changing.reply).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
      await deliver(server);
      expect(receiver.received.map((one) => one.path)).toEqual(["/hook"]);
    },
  );

  test("is sent to the enabled endpoints of its organization that subscribe to its type", async () => {
    const { owner, id } = await setUp({ url: `${receiver.url}/all` });
    await createEndpoint(server, owner.auth, { url: `${receiver.url}/runs`, types: ["run.failed"] });
    await createEndpoint(server, owner.auth, { url: `${receiver.url}/syncs`, types: ["sync.failed"] });
    const off = await createEndpoint(server, owner.auth, { url: `${receiver.url}/off` });
    await server.call(`${path}/${off.id}`, {
      method: "PATCH",
      body: { status: "disabled" },
      headers: owner.auth,
    });
    const other = await createWorkspace(server, "Globex");
    await createEndpoint(server, other.owner.auth, { url: `${receiver.url}/globex` });
    await failRun(owner);
    await fanOut(server);
    await deliver(server);
    expect(receiver.received.map((one) => one.path).sort()).toEqual(["/all", "/runs"]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
    const seen = await server.call(`${path}/${id}/deliveries`, { headers: other.owner.auth });
    expect(seen.status).toBe(404);
  });

  test("carries two signatures while a secret is replaced, and one afterwards", async () => {
    const { secret: old, call, id, sendTest } = await setUp();
    const { body } = await call("/rotate-secret", { body: { overlapSeconds: 600 } });
    await sendTest();
    await deliver(server);
    const [both] = receiver.received as [(typeof receiver.received)[0]];
    expect(both.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of [old, body.secret])
      expect(new Webhook(secret).verify(both.body, both.headers as Record<string, string>)).toMatchObject({
        type: "endpoint.test",
      });
    await server.platform.db.run(
      sql`update webhook_endpoints set previous_secret_expires_at = now() - interval '1 second' where id = ${id}`,
    );
    await sendTest();
    await deliver(server);
    const after = receiver.received[1]!;
    const headers = after.headers as Record<string, string>;
    expect(headers["webhook-signature"]).toMatch(/^v1,\S+$/);
    expect(() => new Webhook(old).verify(after.body, headers)).toThrow();
    expect(new Webhook(body.secret).verify(after.body, headers)).toMatchObject({ type: "endpoint.test" });
    await prune(server);
    const row = await server.platform.db.row(
      sql`select previous_secret as p from webhook_endpoints where id = ${id}`,
    );
    expect(row).toEqual({ p: null });
  });
});

describe("a delivery that fails", () => {
  test("is tried again after each pause of the table, with the same id and body, and then fails", async () => {
    const { log, sendTest, read } = await setUp();
    receiver.answer = () => ({ status: 500, body: "out of order\u0000\u001b[31m" });
    await sendTest();
    for (let attempt = 1; attempt <= retryPauses.length + 1; attempt++) {
      await deliver(server);
      expect(receiver.received).toHaveLength(attempt);
      const [delivery] = await log();
      expect(delivery).toMatchObject({
        attempt,
        lastAttempt: {
          attempt,
          responseStatus: 500,
          response: "out of order\\u0000\\u001b[31m",
          error: "The endpoint answered 500.",
        },
      });
      const pause = retryPauses[attempt - 1];
      if (pause === undefined) {
        expect(delivery).toMatchObject({ status: "failed", nextAttemptAt: null });
      } else {
        expect(delivery.status).toBe("pending");
        const wait = (delivery.nextAttemptAt - Date.now()) / 1000;
        expect(wait).toBeGreaterThan(0.9 * pause - 5);
        expect(wait).toBeLessThan(1.1 * pause + 5);
      }
      // It is not sent before it is due.
      await deliver(server);
      expect(receiver.received).toHaveLength(attempt);
      await skipPause(server);
    }
    const [first, ...rest] = receiver.received;
    for (const one of rest) {
      expect(one.headers["webhook-id"]).toBe(first!.headers["webhook-id"]);
      expect(one.body).toBe(first!.body);
    }
    expect((await read()).failingSince).toBeTypeOf("number");
  });

  test.each([
    ["a redirect", () => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } }), /redirect/],
    ["a connection that is closed", () => ({ status: 0, hangUp: true as const }), /closed the connection/],
    ["a 404", () => ({ status: 404 }), /answered 404/],
  ])("is tried again after %s", async (_, answer, error) => {
    const { log, sendTest, read } = await setUp();
    receiver.answer = answer;
    await sendTest();
    await deliver(server);
    expect(receiver.received.map((one) => one.path)).toEqual(["/hook"]);
    expect(await log()).toMatchObject([{ status: "pending", attempt: 1 }]);
    expect((await log())[0].lastAttempt.error).toMatch(error);
    receiver.answer = () => ({ status: 200, body: "x".repeat(5_000) });
    await skipPause(server);
    await deliver(server);
    const [delivery] = await log();
    expect(delivery).toMatchObject({ status: "succeeded", attempt: 2 });
    expect(delivery.lastAttempt.response).toHaveLength(1_024);
    expect((await read()).failingSince).toBeNull();
  });

  test("waits as long as Retry-After asks for, and not longer than 8 hours", async () => {
    const { log, sendTest } = await setUp();
    receiver.answer = () => ({ status: 503, headers: { "retry-after": "900" } });
    await sendTest();
    await deliver(server);
    const wait = async () => ((await log())[0].nextAttemptAt - Date.now()) / 1000;
    expect(await wait()).toBeGreaterThan(880);
    expect(await wait()).toBeLessThan(920);
    receiver.answer = () => ({ status: 429, headers: { "retry-after": "9000000" } });
    await skipPause(server);
    await deliver(server);
    expect(await wait()).toBeGreaterThan(28_700);
    expect(await wait()).toBeLessThan(28_900);
  });

  test("counts the status of an answer whose body never ends", async () => {
    const { log, sendTest } = await setUp();
    receiver.answer = () => ({ status: 200, headers: { "content-length": "100000" }, body: "start" });
    await sendTest();
    await deliver(server);
    expect(await log()).toMatchObject([{ status: "succeeded", lastAttempt: { response: "start" } }]);
  }, 40_000);

  test("keeps an answer whose end would split a character, and is sent once", async () => {
    const { log, sendTest } = await setUp();
    receiver.answer = () => ({ status: 200, body: `${"\u0001".repeat(170)}a${"😀".repeat(20)}` });
    await sendTest();
    await deliver(server);
    const [delivery] = await log();
    expect(delivery).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(delivery.lastAttempt.response.isWellFormed()).toBe(true);
  });

  test("does not reach an address that the guard refuses, even if the address was stored", async () => {
    const { log, sendTest, id } = await setUp();
    await server.platform.db.run(
      sql`update webhook_endpoints set url = 'http://169.254.169.254/latest' where id = ${id}`,
    );
    await sendTest();
    await deliver(server);
    const [delivery] = await log();
    expect(delivery).toMatchObject({ status: "pending", lastAttempt: { responseStatus: null } });
    expect(delivery.lastAttempt.error).toMatch(/EGRESS_ALLOW/);
  });

  test("can be retried by hand, with the same id and its earlier attempts", async () => {
    const { call, log, sendTest } = await setUp();
    receiver.answer = () => ({ status: 500 });
    const { id } = await sendTest();
    for (let i = 0; i <= retryPauses.length; i++) {
      await deliver(server);
      await skipPause(server);
    }
    expect(await log()).toMatchObject([{ status: "failed", attempt: 9 }]);
    const retried = await call(`/deliveries/${id}/retry`, { method: "POST" });
    expect(retried).toMatchObject({ status: 202, body: { delivery: { status: "pending", attempt: 9 } } });
    await deliver(server);
    expect(await log()).toMatchObject([{ status: "pending", attempt: 10 }]);
    receiver.answer = () => ({ status: 200 });
    await skipPause(server);
    await deliver(server);
    expect(await log()).toMatchObject([{ status: "succeeded", attempt: 11 }]);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const { attempts } = (await call(`/deliveries/${id}`)).body.delivery;
    expect(attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    ]);
    expect((await call(`/deliveries/${newId("wed")}/retry`, { method: "POST" })).status).toBe(404);
  });
});

describe("a worker that dies", () => {
  test("between sending and recording leaves the event to be sent again with the same id", async () => {
    const { call, log, sendTest } = await setUp();
    const { id } = await sendTest();
    // The receiver gets the event, but the process cannot record it, as if it had died.
    const dying: Platform = {
      ...server.platform,
      db: { ...server.platform.db, run: () => Promise.reject(new Error("killed")) },
    };
    await expect(deliverDue(dying)).rejects.toThrow("killed");
    expect(receiver.received).toHaveLength(1);
    expect(await log()).toMatchObject([{ status: "pending", attempt: 1, lastAttempt: null }]);
    // Other workers do not take it before the lease expires.
    await deliver(server);
    expect(receiver.received).toHaveLength(1);
    await skipPause(server);
    await deliver(server);
    expect(receiver.received).toHaveLength(2);
    const [first, second] = receiver.received as [
      (typeof receiver.received)[0],
      (typeof receiver.received)[0],
    ];
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    expect(second.body).toBe(first.body);
    const { attempts, status } = (await call(`/deliveries/${id}`)).body.delivery;
    expect(status).toBe("succeeded");
    expect(attempts).toMatchObject([
      { attempt: 1, responseStatus: null, error: expect.stringContaining("may have arrived") },
      { attempt: 2, responseStatus: 204, error: null },
    ]);
  });

  test("and records its outcome after its lease expired changes nothing", async () => {
    const { sendTest, log } = await setUp();
    await sendTest();
    const share = {
      busyOrganizations: [],
      busyEndpoints: [],
      perOrganization: 9,
      perEndpoint: 9,
      limit: 9,
      ...{ slowEndpoints: [], openOrganizations: [], limitFailing: 9 },
    };
    const [slow] = await store.claimDueAcrossOrganizations(server.platform.db, share);
    await skipPause(server);
    await deliver(server);
    const entry = { attempt: 1, at: 0, durationMs: 1, responseStatus: 500, response: "", error: "late" };
    const late = { state: "failed", afterSeconds: 0, entry } as const;
    expect(await store.record(server.platform.db, slow!.orgId, slow!, late)).toBe(0);
    expect(await log()).toMatchObject([{ status: "succeeded", attempt: 2 }]);
  });
});

describe("an endpoint that refuses events or does not accept them", () => {
  test("is disabled by a 410, its pending deliveries fail, and admins get a mail", async () => {
    const { owner, log, sendTest, read, call } = await setUp();
    await verifyAddress(server, owner);
    await sendTest();
    const waiting = await sendTest();
    await server.platform.db.run(
      sql`update webhook_endpoint_deliveries set due_at = now() + interval '1 hour' where id = ${waiting.id}`,
    );
    receiver.answer = () => ({ status: 410 });
    await deliver(server);
    expect(await read()).toMatchObject({ status: "disabled", disabledReason: "gone" });
    expect(await log()).toMatchObject([{ status: "failed" }, { status: "failed" }]);
    expect(receiver.received).toHaveLength(1);
    await mail(server);
    const [told] = await mailsTo(server, owner.email);
    expect(told).toMatchObject({ subject: "Acme: a webhook endpoint was disabled" });
    expect(told!.text).toContain("410 Gone");
    // The mail does not contain the entered address as a link.
    expect(told!.text).not.toContain(receiver.url);
    for (const suffix of ["/test", `/deliveries/${waiting.id}/retry`])
      expect(await call(suffix, { method: "POST" })).toMatchObject({
        status: 409,
        body: { error: "webhook_endpoint_disabled" },
      });
    const audit = await server.call("/v1/audit-events?action=webhook_endpoint.disabled", {
      headers: owner.auth,
    });
    expect(audit.body.items).toMatchObject([{ actor: { credential: "system" } }]);
  });

  test("is disabled after five days and twelve failed attempts, and not sooner", async () => {
    const { owner, id, sendTest, read, call } = await setUp();
    await verifyAddress(server, owner);
    receiver.answer = () => ({ status: 500 });
    const failOnce = async () => {
      await sendTest();
      await deliver(server);
    };
    for (let i = 0; i < 12; i++) await failOnce();
    expect(await read()).toMatchObject({ status: "enabled" });
    const since = (days: number, failures: number) =>
      server.platform.db.run(sql`
        update webhook_endpoints set failures = ${failures},
          failing_since = now() - make_interval(days => ${days}::int) where id = ${id}`);
    await since(6, 10);
    await failOnce();
    expect(await read()).toMatchObject({ status: "enabled" });
    await failOnce();
    expect(await read()).toMatchObject({ status: "disabled", disabledReason: "failing" });
    await mail(server);
    const mails = await mailsTo(server, owner.email);
    expect(mails).toHaveLength(1);
    expect(mails[0]!.text).toContain("5 days");
    // After it is enabled again, earlier failures do not count.
    const enabled = await call("", { method: "PATCH", body: { status: "enabled" } });
    expect(enabled.body.webhookEndpoint).toMatchObject({ status: "enabled", failingSince: null });
    await failOnce();
    expect(await read()).toMatchObject({ status: "enabled" });
  });

  test("is not disabled for what its earlier URL answered", async () => {
    const { id, sendTest, read, call, log } = await setUp();
    await sendTest();
    const move = (to: string) => call("", { method: "PATCH", body: { url: `${receiver.url}/${to}` } });
    receiver.answer = ({ path: to }) => (to === "/hook" ? { status: 410, delayMs: 500 } : { status: 204 });
    const delivering = deliver(server);
    await expect.poll(() => receiver.received.length).toBe(1);
    // The receiver has moved, and its earlier place answers that it is gone.
    expect((await move("new")).status).toBe(200);
    await delivering;
    expect(await read()).toMatchObject({ status: "enabled", failingSince: null });
    await deliver(server);
    expect(receiver.received.map(({ path: to }) => to)).toEqual(["/hook", "/new"]);
    expect(await log()).toMatchObject([{ status: "succeeded", attempt: 2 }]);
    // The new place has not failed for five days, although the earlier one had.
    await server.platform.db.run(sql`
      update webhook_endpoints set failures = 20, failing_since = now() - interval '6 days' where id = ${id}`);
    expect((await move("newest")).body.webhookEndpoint).toMatchObject({ failingSince: null });
    receiver.answer = () => ({ status: 500 });
    await sendTest();
    await deliver(server);
    expect(await read()).toMatchObject({ status: "enabled", failingSince: expect.any(Number) });
  });

  test("that works again has its failure count reset", async () => {
    const { id, sendTest } = await setUp();
    receiver.answer = () => ({ status: 500 });
    await sendTest();
    await deliver(server);
    receiver.answer = () => ({ status: 200 });
    await skipPause(server);
    await deliver(server);
    const row = await server.platform.db.row(
      sql`select failures, failing_since as since from webhook_endpoints where id = ${id}`,
    );
    expect(row).toEqual({ failures: 0, since: null });
  });

  test("loses its pending deliveries when a member disables it", async () => {
    const { call, log, sendTest } = await setUp();
    await sendTest();
    await call("", { method: "PATCH", body: { status: "disabled" } });
    await deliver(server);
    expect(receiver.received).toEqual([]);
    expect(await log()).toMatchObject([{ status: "failed", attempt: 0 }]);
  });
});

describe("many deliveries", () => {
  test("are sent once each, and mailed once, by any number of workers at the same moment", async () => {
    const { owner, log } = await setUp();
    await verifyAddress(server, owner);
    for (let i = 0; i < 6; i++) await failRun(owner);
    const workers = [1, 2, 3, 4];
    await Promise.all(workers.map(() => fanOut(server)));
    await Promise.all(workers.map(() => deliver(server)));
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(6);
    expect(await log()).toHaveLength(6);
    await server.platform.db.run(sql`update notification_digests set due_at = now()`);
    await Promise.all(workers.map(() => mail(server, { later: false })));
    expect(await mailsTo(server, owner.email)).toHaveLength(6);
  });

  test("of a slow endpoint do not delay another organization's", async () => {
    const slow = await setUp({ url: `${receiver.url}/slow` });
    const quick = await setUp({ url: `${receiver.url}/quick` });
    receiver.answer = (request) => ({ status: 200, delayMs: request.path === "/slow" ? 300 : 0 });
    for (let i = 0; i < 8; i++) await slow.sendTest();
    await quick.sendTest();
    await deliver(server);
    const order = receiver.received.map((one) => one.path);
    expect(order).toHaveLength(9);
    expect(order.indexOf("/quick")).toBeLessThan(4);
  });

  test("of many organizations whose endpoints hang do not delay a healthy one", async () => {
    const healthy = await setUp({ url: `${receiver.url}/healthy` });
    const { db } = server.platform;
    // 40 organizations with a backlog of six each.
    await db.run(sql`
      insert into organizations (id, name, slug) select 'org_hang' || i, 'Hang', 'hang' || i from generate_series(1, 40) i
      on conflict do nothing`);
    await db.run(sql`
      insert into webhook_endpoints (id, org_id, url, secret, created_by)
      select 'whe_hang' || i, 'org_hang' || i, ${`${receiver.url}/hang`}, 'x', 'mem' from generate_series(1, 40) i`);
    for (let i = 1; i <= 40; i++) {
      const sealed = sealSecret(
        server.platform.keyring,
        `org_hang${i}`,
        `whe_hang${i}`,
        "secret",
        newSigningSecret(),
      );
      await db.run(sql`update webhook_endpoints set secret = ${sealed} where id = ${`whe_hang${i}`}`);
    }
    await db.run(sql`
      insert into webhook_endpoint_deliveries (id, org_id, endpoint_id, event_id, type, body)
      select 'wed_hang' || i || '_' || j, 'org_hang' || i, 'whe_hang' || i, 'evt' || j, 'endpoint.test', '{}'
      from generate_series(1, 40) i, generate_series(1, 6) j`);
    receiver.answer = ({ path: to }) =>
      to === "/hang" ? { status: 500, delayMs: 10_000 } : { status: 204, delayMs: 0 };
    const delivering = deliver(server);
    const arrived = (number: number) =>
      expect
        // A wide bound, for busy machines.
        .poll(() => receiver.received.filter((one) => one.path === "/healthy").length, { timeout: 30_000 })
        .toBe(number);
    try {
      await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBeGreaterThan(10);
      await healthy.sendTest();
      await arrived(1);
      // The same holds when the endpoints are known to fail.
      await db.run(sql`update webhook_endpoints set failing_since = now() where url like '%/hang'`);
      await healthy.sendTest();
      await arrived(2);
    } finally {
      await db.run(sql`delete from organizations where id like 'org_hang%'`);
      await delivering;
    }
  }, 120_000);

  test("can be filtered by state, and are removed when they are old or beyond the quota", async () => {
    const { orgId, id, call, sendTest } = await setUp();
    for (let i = 0; i < 5; i++) await sendTest();
    await deliver(server);
    const waiting = await sendTest();
    const pending = (await call("/deliveries?status=pending")).body.items;
    expect(pending.map((one: { id: string }) => one.id)).toEqual([waiting.id]);
    expect((await call("/deliveries?status=succeeded&limit=2")).body).toMatchObject({
      items: [{ status: "succeeded" }, { status: "succeeded" }],
      nextCursor: expect.any(String),
    });
    const { db } = server.platform;
    await db.run(
      sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'webhook_endpoint_deliveries', 3)`,
    );
    await prune(server);
    const kept = (await call("/deliveries")).body.items;
    expect(kept).toHaveLength(3);
    expect(kept[0].id).toBe(waiting.id);
    await db.run(sql`
      update webhook_endpoint_deliveries set created_at = now() - interval '31 days'
      where endpoint_id = ${id} and status = 'succeeded'`);
    await prune(server);
    expect((await call("/deliveries")).body.items).toMatchObject([{ id: waiting.id }]);
  });

  test("that were never sent are not removed: the oldest beyond the quota fail", async () => {
    const { orgId, call, sendTest } = await setUp();
    const { db } = server.platform;
    await db.run(
      sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'webhook_endpoint_deliveries', 3)`,
    );
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await sendTest()).id);
    // Newer deliveries that are finished do not displace them.
    for (let i = 0; i < 3; i++) {
      const { id } = await sendTest();
      await db.run(sql`update webhook_endpoint_deliveries set status = 'succeeded' where id = ${id}`);
    }
    await prune(server);
    const pending = async () =>
      (await call("/deliveries?status=pending")).body.items.map((one: { id: string }) => one.id);
    expect(await pending()).toEqual(ids);
    ids.unshift((await sendTest()).id);
    await prune(server);
    expect(await pending()).toEqual(ids.slice(0, 3));
    const ended = await call(`/deliveries/${ids[3]}`);
    expect(ended.body.delivery).toMatchObject({
      status: "failed",
      lastAttempt: { error: expect.stringContaining("webhook_endpoint_deliveries") },
    });
    await deliver(server);
    expect(receiver.received).toHaveLength(3);
  });
});
