import { describe, expect, inject, test } from "vitest";
import {
  claim,
  complete,
  createAutomation,
  loseLease,
  queueRun,
  readRun,
  report,
  runNow,
} from "../../../test/automations.ts";
import { createConnector, runSyncs } from "../../../test/connectors.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  joinWorkspace,
  type Person,
  useServer,
  verifyAddress,
  type Workspace,
} from "../../../test/harness.ts";
import { createEndpoint, fanOut, mail, mailsTo, prune } from "../../../test/notifications.ts";
import { runJob, seedConnection } from "../../../test/oauth.ts";
import { insertConnector, signedHeaders } from "../../../test/webhooks.ts";
import type { OrgId } from "../../platform/context.ts";
import { sql } from "../../platform/db/index.ts";
import { endOverdueRuns } from "../automations/runs/jobs.ts";
import { announce } from "./index.ts";

const server = useServer();

/** Creates an organization whose owner has a verified address. */
async function setUp(name = "Acme"): Promise<Workspace> {
  const workspace = await createWorkspace(server, name);
  await verifyAddress(server, workspace.owner);
  return workspace;
}

async function join(workspace: Workspace, role: string) {
  const person = await joinWorkspace(server, workspace, role);
  await verifyAddress(server, person);
  return person;
}

async function failRun(person: Pick<Person, "auth">, automationId: string, message = "The tool gave up.") {
  const run = await runNow(server, person.auth, automationId);
  await claim(server, person.auth, run.id);
  await complete(server, person.auth, run.id, { attempt: 1, status: "failed", error: { message } });
  return run;
}

const as = (person: Pick<Person, "auth">, workspace: Workspace) => ({
  auth: { ...person.auth, "x-organization-id": workspace.orgId },
});

const putSettings = (person: Pick<Person, "auth">, mail: object) =>
  server.call("/v1/notification-settings", {
    method: "PUT",
    body: {
      mail: {
        "run.failed": ["member"],
        "connection.needs_attention": ["member"],
        "budget.reached": ["admins"],
        "sync.failed": ["admins"],
        "worker.unseen": ["admins"],
        "mcp_connection.drift": ["admins"],
        "mcp_connection.failing": ["admins"],
        "mcp_approval.requested": ["admins"],
        ...mail,
      },
    },
    headers: person.auth,
  });

const putMine = (person: Pick<Person, "auth">, mail: object) =>
  server.call("/v1/me/notification-settings", {
    method: "PUT",
    body: {
      mail: {
        "run.failed": null,
        "connection.needs_attention": null,
        "budget.reached": null,
        "sync.failed": null,
        "worker.unseen": null,
        "mcp_connection.drift": null,
        "mcp_connection.failing": null,
        "mcp_approval.requested": null,
        ...mail,
      },
    },
    headers: person.auth,
  });

const subjectsTo = async (person: Person) =>
  (await mailsTo(server, person.email)).map(({ subject }) => subject);

const listEvents = (orgId: string) =>
  server.platform.db.rows<{ type: string; data: Record<string, unknown> }>(
    sql`select type, data from notification_events where org_id = ${orgId} order by id`,
  );

describe("a failed run", () => {
  test("is mailed to the owner of the automation, with links to the run and to the settings", async () => {
    const workspace = await setUp();
    const member = await join(workspace, "member");
    const automation = await createAutomation(server, member.auth, { name: "Release notes" });
    const run = await failRun(member, automation.id);
    await fanOut(server);
    // The digest waits a minute for more events.
    await mail(server, { later: false });
    expect(await subjectsTo(member)).toEqual([]);
    await mail(server);
    const [told, ...more] = await mailsTo(server, member.email);
    expect(more).toEqual([]);
    expect(told!.subject).toBe("Acme: Release notes failed");
    expect(told!.text).toMatch(new RegExp(`${server.url}/o/[a-z0-9-]+/runs/${run.id}\\n`));
    expect(told!.text).toContain("The tool gave up.");
    expect(told!.text).toMatch(new RegExp(`${server.url}/o/[a-z0-9-]+/settings/mails\\n`));
    expect(await subjectsTo(workspace.owner)).toEqual([]);
    await fanOut(server);
    await mail(server);
    expect(await subjectsTo(member)).toHaveLength(1);
  });

  test("is announced, and a run that succeeds or is cancelled is not", async () => {
    const { owner, orgId } = await setUp();
    for (const status of ["succeeded", "cancelled"]) {
      const run = await queueRun(server, owner.auth);
      await complete(server, owner.auth, run.id, { attempt: 1, status });
      expect((await readRun(server, owner.auth, run.id)).run.status).toBe(status);
    }
    expect(await listEvents(orgId)).toEqual([]);
  });

  test("is announced once, however it fails and even when the report is repeated", async () => {
    const { owner, orgId } = await setUp();
    const reported = await queueRun(server, owner.auth);
    for (let i = 0; i < 2; i++)
      await complete(server, owner.auth, reported.id, { attempt: 1, status: "failed" });
    const silent = await queueRun(server, owner.auth);
    for (let attempt = 1; attempt <= 2; attempt++) {
      await claim(server, owner.auth, silent.id);
      await loseLease(server, silent.id);
      await endOverdueRuns(server.platform);
    }
    const slow = await queueRun(server, owner.auth);
    await claim(server, owner.auth, slow.id);
    await server.platform.db.run(
      sql`update automation_runs set deadline_at = now() - interval '2 minutes' where id = ${slow.id}`,
    );
    await endOverdueRuns(server.platform);
    const events = await listEvents(orgId);
    expect(events.map(({ data }) => [data.runId, data.attempt, data.reason])).toEqual([
      [reported.id, 1, "reported"],
      [silent.id, 2, "interrupted"],
      [slow.id, 1, "timed_out"],
    ]);
  });

  test("is announced once when it exceeded its time limit, or when its runner was lost", async () => {
    const { owner, orgId } = await setUp();
    const timeOut = async () => {
      const run = await queueRun(server, owner.auth);
      await claim(server, owner.auth, run.id);
      await server.platform.db.run(
        sql`update automation_runs set deadline_at = now() - interval '1 second' where id = ${run.id}`,
      );
      await endOverdueRuns(server.platform);
      return run;
    };
    const obedient = await timeOut();
    for (let i = 0; i < 2; i++)
      await complete(server, owner.auth, obedient.id, { attempt: 1, status: "cancelled" });
    const silent = await timeOut();
    await loseLease(server, silent.id);
    for (let i = 0; i < 2; i++) await endOverdueRuns(server.platform);
    const finished = await timeOut();
    await complete(server, owner.auth, finished.id, { attempt: 1, status: "succeeded" });
    const stopped = await queueRun(server, owner.auth);
    await claim(server, owner.auth, stopped.id);
    await server.call(`/v1/automation-runs/${stopped.id}/cancel`, { method: "POST", headers: owner.auth });
    await loseLease(server, stopped.id);
    await endOverdueRuns(server.platform);

    for (const { id } of [obedient, silent])
      expect((await readRun(server, owner.auth, id)).run).toMatchObject({
        status: "cancelled",
        reason: "timed_out",
      });
    const events = await listEvents(orgId);
    expect(events.map(({ type, data }) => [type, data.runId, data.reason])).toEqual([
      ["run.failed", obedient.id, "timed_out"],
      ["run.failed", silent.id, "timed_out"],
    ]);
    expect(events[1]!.data.message).toMatch(/ran longer than its automation allows/);
  });

  test("of a deleted organization can still end", async () => {
    const { owner, orgId } = await setUp();
    const run = await queueRun(server, owner.auth);
    await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`delete from organizations where id = ${orgId}`);
      const fact = { runId: run.id, automationId: "aut", memberId: "mem", attempt: 1, trigger: "manual" };
      await announce(tx, orgId as OrgId, { type: "run.failed", ...fact, reason: null, message: null });
    });
    expect(await listEvents(orgId)).toEqual([]);
  });

  test("is announced in the transaction that ends the run, or not at all", async () => {
    const { owner, orgId } = await setUp();
    const run = await queueRun(server, owner.auth);
    await claim(server, owner.auth, run.id);
    await server.platform.db.run(sql`alter table notification_events rename to moved_away`);
    const refused = await complete(server, owner.auth, run.id, { attempt: 1, status: "failed" });
    await server.platform.db.run(sql`alter table moved_away rename to notification_events`);
    expect(refused.status).toBe(500);
    const read = await server.call(`/v1/automation-runs/${run.id}`, { headers: owner.auth });
    expect(read.body.run.status).toBe("running");
    await complete(server, owner.auth, run.id, { attempt: 1, status: "failed" });
    expect(await listEvents(orgId)).toHaveLength(1);
  });

  test("shares one mail with others of a burst: it lists the first ten and counts all", async () => {
    const { owner } = await setUp();
    const automation = await createAutomation(server, owner.auth);
    const other = await createAutomation(server, owner.auth, { name: "Digest" });
    for (let i = 0; i < 25; i++) await failRun(owner, automation.id, `Failure ${i}.`);
    await failRun(owner, other.id);
    await fanOut(server);
    await mail(server);
    const mails = await mailsTo(server, owner.email);
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      "Acme: Digest failed",
      "Acme: Triage failed 25 times",
    ]);
    const { text } = mails.find(({ subject }) => subject.includes("Triage"))!;
    expect(text.match(/\/runs\/run_/g)).toHaveLength(10);
    expect(text).toContain("… and 15 more.");
    // The next mail about this automation is sent at least ten minutes after this one.
    await failRun(owner, automation.id);
    await fanOut(server);
    const row = await server.platform.db.row<{ minutes: number }>(sql`
      select round(extract(epoch from due_at - now()) / 60)::int as minutes from notification_digests
      where pending > 0 and topic like ${`%${automation.id}`}`);
    expect(row!.minutes).toBe(10);
  });

  test("is mailed at most ten minutes after the first failure, even while more failures follow", async () => {
    const { owner } = await setUp();
    const automation = await createAutomation(server, owner.auth);
    const due = () =>
      server.platform.db.row<{ seconds: number }>(sql`
        select round(extract(epoch from due_at - opened_at))::int as seconds from notification_digests
        where topic like ${`%${automation.id}`}`);
    await failRun(owner, automation.id);
    await fanOut(server);
    expect((await due())!.seconds).toBe(60);
    // As if the first failure had been nine and a half minutes ago.
    await server.platform.db.run(sql`
      update notification_digests set opened_at = opened_at - interval '570 seconds',
        due_at = due_at - interval '570 seconds' where topic like ${`%${automation.id}`}`);
    await failRun(owner, automation.id);
    await fanOut(server);
    expect((await due())!.seconds).toBe(600);
  });

  test("is mailed with untrusted names and messages on one line and without links", async () => {
    const { owner } = await setUp("evil.example");
    const automation = await createAutomation(server, owner.auth, { name: "Click https://evil.example/x" });
    await failRun(owner, automation.id, "Sign in at\nhttp://evil.example/login now");
    await fanOut(server);
    await mail(server);
    const [told] = await mailsTo(server, owner.email);
    expect(told!.subject).toBe("Signalbox: an automation failed");
    expect(told!.text).not.toMatch(/https?:\/\/evil|evil\.example/);
    expect(told!.text).toContain("Sign in at http[:]//evil[.]example/login now");
  });
});

describe("who gets mails", () => {
  test("is decided by the settings of the organization, unless a member chose otherwise", async () => {
    const workspace = await setUp();
    const { owner } = workspace;
    const member = await join(workspace, "member");
    const admin = await join(workspace, "admin");
    const unverified = await joinWorkspace(server, workspace, "admin");
    const automation = await createAutomation(server, member.auth);
    const fail = async () => {
      await failRun(member, automation.id);
      await fanOut(server);
      await mail(server);
      const counts: number[] = [];
      for (const person of [member, owner, admin, unverified])
        counts.push((await mailsTo(server, person.email)).length);
      await server.platform.db.run(sql`delete from mails`);
      return counts;
    };
    expect(await fail()).toEqual([1, 0, 0, 0]);
    await putSettings(owner, { "run.failed": ["admins"] });
    expect(await fail()).toEqual([0, 1, 1, 0]);
    await putMine(admin, { "run.failed": "own" });
    expect(await fail()).toEqual([0, 1, 0, 0]);
    await putMine(member, { "run.failed": "own" });
    await putMine(owner, { "run.failed": "off" });
    expect(await fail()).toEqual([1, 0, 0, 0]);
    await putMine(admin, { "run.failed": "all" });
    await putSettings(owner, { "run.failed": [] });
    expect(await fail()).toEqual([1, 0, 1, 0]);
    // A member who loses the permission to see all events gets mails about their own.
    const demoted = { method: "PATCH", body: { role: "member" }, headers: owner.auth };
    expect((await server.call(`/v1/members/${admin.memberId}`, demoted)).status).toBe(200);
    expect(await fail()).toEqual([1, 0, 0, 0]);
    const mine = await server.call("/v1/me/notification-settings", { headers: admin.auth });
    expect(mine.body.effective["run.failed"]).toBe("own");
  });

  test("is shown to each member, with the settings and their effect", async () => {
    const workspace = await setUp();
    const member = await joinWorkspace(server, workspace, "member");
    const read = async (person: Person) =>
      (await server.call("/v1/me/notification-settings", { headers: person.auth })).body;
    expect(await read(member)).toEqual({
      settings: {
        mail: {
          "run.failed": null,
          "connection.needs_attention": null,
          "budget.reached": null,
          "sync.failed": null,
          "worker.unseen": null,
          "mcp_connection.drift": null,
          "mcp_connection.failing": null,
          "mcp_approval.requested": null,
        },
      },
      effective: {
        "run.failed": "own",
        "connection.needs_attention": "own",
        "budget.reached": "off",
        "sync.failed": "off",
        "worker.unseen": "off",
        "mcp_connection.drift": "off",
        "mcp_connection.failing": "off",
        "mcp_approval.requested": "off",
      },
      emailVerified: false,
    });
    expect(await read(workspace.owner)).toMatchObject({
      effective: { "run.failed": "own", "budget.reached": "all", "sync.failed": "all" },
      emailVerified: true,
    });
  });

  test("can be set to `all` only by members who may see all events, also with a custom role", async () => {
    const workspace = await setUp();
    const member = await join(workspace, "member");
    expect(await putMine(member, { "run.failed": "all" })).toMatchObject({
      status: 403,
      body: { reason: "missing_permission" },
    });
    expect((await putSettings(member, {})).status).toBe(403);
    expect((await server.call("/v1/notification-settings", { headers: member.auth })).status).toBe(200);
    const role = await createRole(server, workspace.owner, ["organization:read", "automations:manage"]);
    const operator = await join(workspace, role.id);
    expect((await putMine(operator, { "run.failed": "all" })).status).toBe(200);
    const automation = await createAutomation(server, workspace.owner.auth);
    await failRun(workspace.owner, automation.id);
    await fanOut(server);
    await mail(server);
    expect(await subjectsTo(operator)).toEqual(["Acme: Triage failed"]);
  });

  test("is separate for each organization", async () => {
    const acme = await setUp();
    const globex = await setUp("Globex");
    const both = await join(acme, "admin");
    await server.platform.db.run(sql`
      insert into members (id, org_id, user_id, role)
      values (${`mem_${both.userId.slice(4)}`}, ${globex.orgId}, ${both.userId}, 'admin')`);
    expect((await putMine(as(both, acme), { "run.failed": "all" })).status).toBe(200);
    const automation = await createAutomation(server, globex.owner.auth);
    await failRun(globex.owner, automation.id);
    await fanOut(server);
    await mail(server);
    expect(await subjectsTo(both)).toEqual([]);
    expect(await subjectsTo(acme.owner)).toEqual([]);
    expect(await subjectsTo(globex.owner)).toEqual(["Globex: Triage failed"]);
  });

  test("is limited to 200 mails a day from one organization; the rest is sent a day later", async () => {
    const { owner, orgId } = await setUp();
    const globex = await setUp("Globex");
    await server.platform.db.run(sql`
      insert into members (id, org_id, user_id, role)
      values (${`mem_${owner.userId.slice(4)}`}, ${globex.orgId}, ${owner.userId}, 'admin')`);
    const automation = await createAutomation(server, owner.auth);
    const { hashSecret } = await import("../../platform/secrets.ts");
    const key = hashSecret(`notification mails of ${orgId} to ${owner.userId}`);
    await server.platform.db.run(sql`
      insert into rate_limits (key, count, resets_at) values (${key}, 199, now() + interval '20 hours')`);
    for (let i = 0; i < 2; i++) {
      await failRun(owner, automation.id);
      await fanOut(server);
      await mail(server);
    }
    expect(await subjectsTo(owner)).toHaveLength(1);
    expect(server.logLines.some((line) => line.includes("too many notification mails"))).toBe(true);
    const waiting = await server.platform.db.row<{ hours: number; pending: number }>(sql`
      select round(extract(epoch from due_at - now()) / 3600)::int as hours, pending from notification_digests
      where topic like ${`%${automation.id}`}`);
    expect(waiting).toEqual({ hours: 20, pending: 1 });
    // Mails about budgets and mails of another organization are still sent.
    await server.platform.db.run(sql`
      insert into llm_budgets (id, org_id, subject_kind, period, mode, limit_micros, warning_percent)
      values ('lbg_1', ${orgId}, 'organization', 'month', 'budget', 1000000, 80)`);
    await announce(server.platform.db, orgId as OrgId, {
      ...{ type: "budget.reached", budgetId: "lbg_1", subjectKind: "organization", subjectId: orgId },
      ...{ period: "month", periodStart: "2026-11-01", mode: "budget" },
      ...{ percent: 80, spentMicros: 800_000, budgetMicros: 1_000_000 },
    });
    await putMine(as(owner, globex), { "run.failed": "all" });
    const other = await createAutomation(server, globex.owner.auth, { name: "Digest" });
    await failRun(globex.owner, other.id);
    await fanOut(server);
    await mail(server);
    expect((await subjectsTo(owner)).slice(1).sort()).toEqual([
      "Acme: 80 % of this month's budget is spent",
      "Globex: Digest failed",
    ]);
    await server.platform.db.run(sql`delete from rate_limits where key = ${key}`);
    await mail(server);
    expect((await subjectsTo(owner)).slice(3)).toEqual(["Acme: Triage failed"]);
  });

  test("is a person's own choice: their API key can read it and cannot change it", async () => {
    const { owner } = await setUp();
    const key = await createKey(server, owner);
    const refused = await putMine({ auth: key.auth as never }, { "run.failed": "off" });
    expect(refused.status).toBe(403);
    const read = await server.call("/v1/me/notification-settings", { headers: key.auth });
    expect(read.body.settings.mail["run.failed"]).toBeNull();
  });

  test("includes owners and admins when the member has left", async () => {
    const workspace = await setUp();
    const member = await join(workspace, "member");
    const automation = await createAutomation(server, member.auth);
    await failRun(member, automation.id);
    await server.call(`/v1/members/${member.memberId}`, { method: "DELETE", headers: workspace.owner.auth });
    await fanOut(server);
    await mail(server);
    expect(await subjectsTo(workspace.owner)).toEqual(["Acme: Triage failed"]);
    expect(await subjectsTo(member)).toEqual([]);
  });
});

describe("a budget", () => {
  const usage = (sequence: number, costMicros: number) => ({
    attempt: 1,
    sequence,
    type: "usage",
    payload: { inputTokens: 1, outputTokens: 1, costMicros },
    createdAt: 1_700_000_000_000 + sequence,
  });
  const settle = (auth: Record<string, string>, body: object) =>
    server.call("/v1/automation-settings", { method: "PATCH", body, headers: auth });
  const reached = async (orgId: string) =>
    (await listEvents(orgId)).filter(({ type }) => type === "budget.reached").map(({ data }) => data.percent);

  test("is announced at exactly 80 and 100 %, once each", async () => {
    const workspace = await setUp();
    const member = await join(workspace, "member");
    const { auth } = workspace.owner;
    await settle(auth, { monthlyBudgetMicros: 1_000_000 });
    const run = await queueRun(server, auth);
    await report(server, auth, run.id, usage(0, 799_999));
    expect(await reached(workspace.orgId)).toEqual([]);
    await report(server, auth, run.id, usage(1, 1));
    expect(await reached(workspace.orgId)).toEqual([80]);
    await report(server, auth, run.id, usage(2, 199_999));
    expect(await reached(workspace.orgId)).toEqual([80]);
    await report(server, auth, run.id, usage(3, 1));
    await report(server, auth, run.id, usage(4, 5));
    expect(await reached(workspace.orgId)).toEqual([80, 100]);
    await fanOut(server);
    await mail(server, { later: false });
    const mails = await mailsTo(server, workspace.owner.email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      "Acme: 80 % of this month's budget is spent",
      "Acme: this month's budget is spent",
    ]);
    expect(mails[0]!.text).toContain("0.8 of 1 are spent in");
    expect(await subjectsTo(member)).toEqual([]);
  });

  test("is announced once each, however many reports come at the same moment", async () => {
    const { owner, orgId } = await setUp();
    await settle(owner.auth, { monthlyBudgetMicros: 1_000 });
    const runs = [];
    for (let i = 0; i < (inject("engine") === "postgres" ? 12 : 4); i++) {
      const run = await queueRun(server, owner.auth);
      await claim(server, owner.auth, run.id);
      runs.push(run);
    }
    const share = Math.ceil(1_200 / (runs.length * 4));
    for (let sequence = 0; sequence < 4; sequence++)
      await Promise.all(runs.map((run) => report(server, owner.auth, run.id, usage(sequence, share))));
    expect(await reached(orgId)).toEqual([80, 100]);
  });
});

describe("a connection", () => {
  const concern = async (orgId: string) =>
    (await listEvents(orgId)).map(({ type, data }) => [type, data.connectionId, data.reason]);

  test("that expires without a way to renew it is announced to its member, once", async () => {
    const workspace = await setUp();
    const { connectionId, tokenId, providerId } = await seedConnection(server, workspace);
    await runJob(server, "oauth.expire");
    expect(await concern(workspace.orgId)).toEqual([]);
    await server.platform.db.run(
      sql`update oauth_tokens set expires_at = now() - interval '1 minute' where id = ${tokenId}`,
    );
    for (let i = 0; i < 2; i++) await runJob(server, "oauth.expire");
    expect(await concern(workspace.orgId)).toEqual([["connection.needs_attention", connectionId, "expired"]]);
    const { body } = await server.call(`/v1/oauth-connections/${connectionId}`, {
      headers: workspace.owner.auth,
    });
    expect(body.connection.health).toMatchObject({ status: "needs_reconnect", reason: "expired" });
    await fanOut(server);
    await mail(server);
    const [told] = await mailsTo(server, workspace.owner.email);
    expect(told!.subject).toBe(`Acme: the connection to ${providerId} needs your attention`);
    expect(told!.text).toContain("Connect again.");
  });

  test("whose refresh was interrupted is announced", async () => {
    const workspace = await setUp();
    const { connectionId, tokenId } = await seedConnection(server, workspace, { shared: true });
    await server.platform.db.run(sql`
      update oauth_tokens set refresh_state = 'refreshing', refresh_token = 'sealed', holder = 'gone',
        lease_expires_at = now() - interval '1 minute' where id = ${tokenId}`);
    await runJob(server, "oauth.keep-fresh");
    expect(await concern(workspace.orgId)).toEqual([
      ["connection.needs_attention", connectionId, "refresh_uncertain"],
    ]);
  });
});

describe("a sync", () => {
  test("that fails is announced once until one succeeds", async () => {
    const workspace = await setUp();
    const { owner, orgId } = workspace;
    const { id } = await createConnector(server, owner.auth);
    const failed = async () =>
      (await listEvents(orgId)).filter(({ type }) => type === "sync.failed").map(({ data }) => data.code);
    /** Runs all attempts of a sync without the pauses. A worker may have started the first one already. */
    const failOnce = async () => {
      const { body } = await server.call(`/v1/connectors/${id}/sync`, {
        method: "POST",
        headers: owner.auth,
      });
      for (let status = "queued"; status !== "failed"; ) {
        await server.platform.db.run(
          sql`update connector_syncs set due_at = now() where connector_id = ${id} and status = 'queued'`,
        );
        await runSyncs(server);
        const row = await server.platform.db.row<{ status: string }>(
          sql`select status from connector_syncs where id = ${body.sync.id}`,
        );
        status = row!.status;
      }
    };
    // The first attempt is retried, so nothing is announced.
    await runSyncs(server);
    expect(await failed()).toEqual([]);
    await failOnce();
    expect(await failed()).toEqual(["unreachable"]);
    await failOnce();
    expect(await failed()).toHaveLength(1);
    await server.platform.db.run(sql`update connectors set synced_at = now() where id = ${id}`);
    await failOnce();
    expect(await failed()).toHaveLength(2);
    await fanOut(server);
    await mail(server);
    const [told] = await mailsTo(server, owner.email);
    expect(told!.text).toContain("Handbook (acme/handbook)");
    expect(told!.text).toMatch(new RegExp(`${server.url}/o/[a-z0-9-]+/code-host/connectors/${id}\\n`));
  });

  test("that is impossible because the code host ended the connection is announced", async () => {
    const { owner, orgId } = await setUp();
    const { id, secret, repository } = await insertConnector(server.platform, orgId);
    const body = JSON.stringify({
      action: "deleted",
      repository: { full_name: repository, clone_url: `https://github.com/${repository}.git` },
    });
    const sent = await server.call(`/v1/webhooks/connectors/codehost?connector=${id}`, {
      body,
      headers: signedHeaders.github(secret, body, { event: "repository" }),
    });
    expect(sent.status).toBe(202);
    expect((await listEvents(orgId)).map(({ data }) => [data.connectorId, data.code])).toEqual([
      [id, "connector_disconnected"],
    ]);
    await fanOut(server);
    await mail(server);
    expect(await subjectsTo(owner)).toHaveLength(1);
  });
});

describe("an announced event", () => {
  test("that cannot be fanned out does not delay others, and is dropped after ten failures", async () => {
    const { owner, orgId } = await setUp();
    const broken = "evt_00000000000000000000000000";
    await server.platform.db.run(sql`
      insert into notification_events (id, org_id, type, key, data)
      values (${broken}, ${orgId}, 'run.failed', 'broken', '{"type": "run.failed", "automationId": {}}')`);
    const automation = await createAutomation(server, owner.auth);
    await createEndpoint(server, owner.auth);
    await failRun(owner, automation.id);
    await server.platform.db.run(sql`
      create or replace function refuse_broken() returns trigger language plpgsql as
      $$ begin if old.key = 'broken' then raise exception 'broken'; end if; return old; end $$`);
    await server.platform.db.run(sql`
      create trigger refuse_broken before delete on notification_events for each row execute function refuse_broken()`);
    const state = () =>
      server.platform.db.row<{ failures: number; over: boolean }>(sql`
        select failures, fanned_out_at is not null as over from notification_events where id = ${broken}`);
    await fanOut(server);
    await mail(server);
    expect(await subjectsTo(owner)).toHaveLength(1);
    expect(await state()).toEqual({ failures: 1, over: false });
    for (let i = 0; i < 12; i++) {
      await server.platform.db.run(sql`update notification_events set due_at = now()`);
      await fanOut(server);
    }
    expect(await state()).toEqual({ failures: 10, over: true });
    await server.platform.db.run(sql`drop trigger refuse_broken on notification_events`);
  });

  test("is kept for 30 days, so that a lasting failure is announced again afterwards", async () => {
    const { orgId } = await setUp();
    const fact = {
      connectorId: "con_x",
      syncId: null,
      code: "unreachable",
      message: "Away.",
      syncedAt: null,
    };
    const tell = () => announce(server.platform.db, orgId as OrgId, { type: "sync.failed", ...fact });
    await tell();
    await fanOut(server);
    await tell();
    await prune(server);
    expect(await listEvents(orgId)).toHaveLength(1);
    await server.platform.db.run(
      sql`update notification_events set created_at = now() - interval '31 days' where org_id = ${orgId}`,
    );
    await prune(server);
    expect(await listEvents(orgId)).toEqual([]);
    await tell();
    expect(await listEvents(orgId)).toHaveLength(1);
  });

  test("is removed after 30 days, however many events of a suspended organization wait", async () => {
    const [{ orgId }, { orgId: suspended }] = [await setUp(), await setUp("Suspended")];
    const { db } = server.platform;
    await db.run(sql`
      insert into notification_events (id, org_id, type, key, data, created_at)
      select 'evt_0' || n, ${suspended}, 'sync.failed', 'waits ' || n, '{}', now() - interval '40 days'
      from generate_series(100, 699) n`);
    await db.run(sql`update organizations set suspended_at = now() where id = ${suspended}`);
    await db.run(sql`
      insert into notification_events (id, org_id, type, key, data, created_at, fanned_out_at)
      values ('evt_1', ${orgId}, 'sync.failed', 'old', '{}', now() - interval '31 days', now() - interval '31 days')`);
    await prune(server);
    expect(await listEvents(orgId)).toEqual([]);
    expect(await listEvents(suspended)).toHaveLength(600);
  });
});
