import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  createAutomation,
  event,
  everyDay,
  loseLease,
  queueRun,
  readEvents,
  readRun,
  report,
  reportBatch,
  runNow,
} from "../../../test/automations.ts";
import type { Body } from "../../../test/body.ts";
import {
  createDatabase,
  createWorkspace,
  joinWorkspace,
  startServer,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { removeLeftovers } from "../../app.ts";
import { sql } from "../../platform/db/index.ts";
import { failedStarts, startDueAutomations } from "./jobs.ts";
import { pruneAll } from "./retention/index.ts";

describe("an automation", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });
  const post = (id: string, verb: string, headers = auth) =>
    server.call(`/v1/automations/${id}/${verb}`, { method: "POST", headers });
  const patch = (id: string, body: unknown, headers = auth) =>
    server.call(`/v1/automations/${id}`, { method: "PATCH", body, headers });
  const read = async (id: string, headers = auth) => server.call(`/v1/automations/${id}`, { headers });

  test("is created active with the fields that were sent, and is due when its schedule says", async () => {
    const automation = await createAutomation(server, auth, {
      name: "  Morning report ",
      schedule: everyDay,
      model: { providerId: "prov", modelId: "large" },
    });
    expect(automation).toMatchObject({
      name: "Morning report",
      instructions: "Look at new issues.",
      status: "active",
      revision: 1,
      schedule: everyDay,
      model: { providerId: "prov", modelId: "large" },
      maxRuntimeSeconds: 3600,
    });
    expect(automation.nextRunAt).toBeGreaterThan(Date.now());
    expect(automation.nextRunAt).toBeLessThan(Date.now() + 25 * 3600_000);
    expect((await read(automation.id)).body.automation).toEqual(automation);
  });

  test.each([
    ["name", ""],
    ["name", "x".repeat(121)],
    ["instructions", ""],
    ["instructions", "x".repeat(100_001)],
    ["schedule", { kind: "cron", expression: "bad", timezone: "UTC" }],
    ["schedule", { kind: "once", at: 1000, timezone: "UTC" }],
    ["model", { providerId: "p" }],
    ["maxRuntimeSeconds", 0],
  ])("a wrong %s is refused with 400 and its path", async (field, value) => {
    const body = { name: "n", instructions: "i", schedule: { kind: "manual" }, [field]: value };
    const reply = await server.call("/v1/automations", { body, headers: auth });
    expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(reply.body.details[0].path[0]).toBe(field);
  });

  test("a change makes a new revision, and earlier runs keep their own instructions", async () => {
    const automation = await createAutomation(server, auth);
    const run = await runNow(server, auth, automation.id);
    const changed = await patch(automation.id, { instructions: "Do something else.", model: null });
    expect(changed.body.automation).toMatchObject({ revision: 2, instructions: "Do something else." });
    expect((await readRun(server, auth, run.id)).automation).toMatchObject({
      revision: 1,
      instructions: "Look at new issues.",
    });
    expect((await claim(server, auth, run.id)).instructions).toBe("Look at new issues.");
    const { body } = await server.call(`/v1/automations/${automation.id}/revisions`, { headers: auth });
    expect(body.items.map((one: { revision: number }) => one.revision)).toEqual([2, 1]);
    const page = await server.call(`/v1/automations/${automation.id}/revisions?limit=1`, { headers: auth });
    const rest = await server.call(
      `/v1/automations/${automation.id}/revisions?limit=1&cursor=${page.body.nextCursor}`,
      { headers: auth },
    );
    expect(rest.body).toMatchObject({ items: [{ revision: 1 }], nextCursor: null });
  });

  test("a page of automations or of their revisions ends when it has about 2 MiB, and every one is listed once", async () => {
    const { auth } = (await createWorkspace(server)).owner;
    const create = async () =>
      (await createAutomation(server, auth, { instructions: "x".repeat(100_000) })).id;
    const ids: string[] = [];
    for (let n = 0; n < 25; n++) ids.push(await create());
    for (let n = 0; n < 24; n++) {
      const body = { instructions: String(n).padEnd(100_000, "x") };
      const reply = await server.call(`/v1/automations/${ids[0]}`, { method: "PATCH", body, headers: auth });
      expect(reply.status).toBe(200);
    }
    const readAll = async (path: string, limit: number) => {
      const pages: Record<string, unknown>[][] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const search: string = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const { body } = await server.call(`${path}?${search}`, { headers: auth });
        pages.push(body.items);
        cursor = body.nextCursor;
      }
      return { sizes: pages.map(({ length }) => length), items: pages.flat() };
    };
    const newest = ids.toReversed();
    const automations = await readAll("/v1/automations", 100);
    expect(automations.sizes).toEqual([20, 5]);
    expect(automations.items.map(({ id }) => id)).toEqual(newest);
    const short = await readAll("/v1/automations", 10);
    expect([short.sizes, short.items.map(({ id }) => id)]).toEqual([[10, 10, 5], newest]);
    const revisions = await readAll(`/v1/automations/${ids[0]}/revisions`, 100);
    expect(revisions.sizes).toEqual([20, 5]);
    expect(revisions.items.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 25 }, (_, n) => 25 - n),
    );
  });

  test("of two changes to the same revision, one is refused", async () => {
    const automation = await createAutomation(server, auth);
    const replies = await Promise.all(
      ["a", "b"].map((name) => patch(automation.id, { name, expectedRevision: 1 })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(replies.find(({ status }) => status === 409)!.body).toMatchObject({
      error: "revision_conflict",
      revision: 2,
    });
  });

  test("a run that starts during a change uses the new revision", async () => {
    const { id } = await createAutomation(server, auth);
    const running = await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`update automations set revision = 2 where id = ${id}`);
      await tx.run(sql`
        insert into automation_revisions select automation_id, 2, name, 'Changed.', schedule, null, null,
          max_runtime_seconds, created_by from automation_revisions where automation_id = ${id}`);
      const reply = post(id, "run");
      await pause(300);
      // Not awaited: it waits for this to end.
      return { reply };
    });
    expect(await running.reply).toMatchObject({ status: 202, body: { run: { automationRevision: 2 } } });
  });

  test("editing an inactive automation does not activate it; activating it does", async () => {
    const automation = await createAutomation(server, auth, { schedule: everyDay, active: false });
    expect(automation).toMatchObject({ status: "inactive", nextRunAt: null });
    const edited = await patch(automation.id, { schedule: { ...everyDay, hour: 10 } });
    expect(edited.body.automation).toMatchObject({ status: "inactive", nextRunAt: null });
    const active = await post(automation.id, "activate");
    expect(active.body.automation).toMatchObject({ status: "active", nextRunAt: expect.any(Number) });
    const rested = await post(automation.id, "deactivate");
    expect(rested.body.automation).toMatchObject({ status: "inactive", nextRunAt: null });
    expect((await post(automation.id, "run")).status).toBe(202);
  });

  test("an archived automation can be read, its queued runs are cancelled, and it does not run any more", async () => {
    const automation = await createAutomation(server, auth, { schedule: everyDay });
    const waiting = await runNow(server, auth, automation.id);
    expect((await post(automation.id, "archive")).body.automation).toMatchObject({
      status: "archived",
      nextRunAt: null,
    });
    expect((await readRun(server, auth, waiting.id)).run).toMatchObject({
      status: "cancelled",
      reason: "automation_archived",
    });
    for (const verb of ["run", "activate", "deactivate"]) {
      expect(await post(automation.id, verb)).toMatchObject({
        status: 409,
        body: { error: "automation_archived" },
      });
    }
    expect((await patch(automation.id, { name: "New" })).body.error).toBe("automation_archived");
    const listed = await server.call("/v1/automations?limit=100", { headers: auth });
    expect(listed.body.items.map((one: { id: string }) => one.id)).not.toContain(automation.id);
    const archived = await server.call("/v1/automations?status=archived&limit=100", { headers: auth });
    expect(archived.body.items.map((one: { id: string }) => one.id)).toContain(automation.id);
  });

  test("a run may finish after its automation is archived, but is not tried again when it is lost", async () => {
    const run = await queueRun(server, auth);
    await claim(server, auth, run.id);
    await post(run.automationId, "archive");
    expect((await report(server, auth, run.id, event(0))).status).toBe(200);
    await loseLease(server, run.id);
    expect(await claim(server, auth, run.id)).toBeNull();
    expect((await readRun(server, auth, run.id)).run).toMatchObject({
      status: "cancelled",
      reason: "automation_archived",
      attempt: 1,
    });
    // Queued again by somebody who did not see the archiving yet.
    const raced = await queueRun(server, auth);
    await post(raced.automationId, "archive");
    await server.platform.db.run(
      sql`update automation_runs set status = 'queued', finished_at = null where id = ${raced.id}`,
    );
    expect((await report(server, auth, raced.id, event(0))).body.error).toBe("run_already_completed");
    expect((await readRun(server, auth, raced.id)).run).toMatchObject({ status: "cancelled", attempt: 0 });
  });

  test("is private to its owner; admins see and run the automations of everyone", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const colleague = await joinWorkspace(server, acme, "member");
    const admin = await joinWorkspace(server, acme, "admin");
    const automation = await createAutomation(server, member.auth);
    expect((await read(automation.id, colleague.auth)).body.error).toBe("automation_not_found");
    for (const verb of ["run", "activate", "archive"])
      expect((await post(automation.id, verb, colleague.auth)).status).toBe(404);
    expect((await patch(automation.id, { name: "Mine" }, colleague.auth)).status).toBe(404);
    expect((await read(automation.id, admin.auth)).status).toBe(200);
    const run = await runNow(server, admin.auth, automation.id);
    // It is still the owner's run.
    expect((await readRun(server, member.auth, run.id)).run.memberId).toBe(member.memberId);
  });

  test("whose owner has left does not run until an admin gives it a new owner", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const heir = await joinWorkspace(server, acme, "member");
    const automation = await createAutomation(server, member.auth, { schedule: everyDay });
    await server.platform.db.run(sql`delete from members where id = ${member.memberId}`);
    await server.platform.db.run(sql`update automations set next_run_at = now() where id = ${automation.id}`);
    await startDueAutomations(server.platform);
    expect((await read(automation.id)).body.automation).toMatchObject({ memberId: null, status: "inactive" });
    expect((await post(automation.id, "run")).body.error).toBe("owner_left");
    expect((await post(automation.id, "activate")).body.error).toBe("owner_left");
    expect((await patch(automation.id, { memberId: "mem_nobody" })).status).toBe(400);
    expect((await patch(automation.id, { memberId: heir.memberId })).body.automation.memberId).toBe(
      heir.memberId,
    );
    expect((await post(automation.id, "activate", heir.auth)).status).toBe(200);
    expect((await patch(automation.id, { memberId: heir.memberId }, heir.auth)).status).toBe(403);
  });

  test("a manual run is created once per Idempotency-Key", async () => {
    const automation = await createAutomation(server, auth);
    const headers = { ...auth, "idempotency-key": "press-the-button-once" };
    const [first, second] = [
      await post(automation.id, "run", headers),
      await post(automation.id, "run", headers),
    ];
    expect(first.status).toBe(202);
    expect(second.body.run.id).toBe(first.body.run.id);
  });

  test("has its newest run, in the list too", async () => {
    const { id } = await createAutomation(server, acme.owner.auth);
    const read = async () =>
      (await server.call(`/v1/automations/${id}`, { headers: acme.owner.auth })).body.automation.lastRun;
    expect(await read()).toBeNull();
    const { id: first } = await runNow(server, acme.owner.auth, id);
    await claim(server, acme.owner.auth, first);
    await complete(server, acme.owner.auth, first, { attempt: 1, status: "failed" });
    const failed = await readRun(server, acme.owner.auth, first);
    const toLast = ({ run: { id, status, reason, createdAt, startedAt, finishedAt } }: Body) => ({
      ...{ id, status, reason, createdAt, startedAt, finishedAt },
    });
    expect(await read()).toEqual(toLast(failed));
    const { id: second } = await runNow(server, acme.owner.auth, id);
    expect(await read()).toEqual(toLast(await readRun(server, acme.owner.auth, second)));
    const { body } = await server.call("/v1/automations?limit=1", { headers: acme.owner.auth });
    expect(body.items[0]).toMatchObject({ id, lastRun: { id: second, status: "queued" } });
  });

  test("the next occurrences can be previewed before saving", async () => {
    const { body } = await server.call("/v1/automation-schedules/preview", {
      body: {
        schedule: { kind: "daily", hour: 2, minute: 30, timezone: "America/New_York" },
        after: Date.parse("2026-03-07T12:00:00Z"),
        count: 2,
      },
      headers: auth,
    });
    expect(body.occurrences).toEqual([
      { at: Date.parse("2026-03-08T07:30:00Z"), local: "2026-03-08T03:30:00-04:00" },
      { at: Date.parse("2026-03-09T06:30:00Z"), local: "2026-03-09T02:30:00-04:00" },
    ]);
  });
});

describe("the scheduler", () => {
  const server = useServer();
  let auth: Auth;
  beforeAll(async () => {
    auth = (await createWorkspace(server)).owner.auth;
  });
  const everyMinute = { kind: "cron", expression: "* * * * *", timezone: "UTC" };
  const dueSince = (id: string, at: number) =>
    server.platform.db.run(
      sql`update automations set next_run_at = to_timestamp(${at}::bigint / 1000.0) where id = ${id}`,
    );
  const thisMinute = () => Math.floor(Date.now() / 60_000) * 60_000;
  const listRuns = async (id: string) =>
    (await server.call(`/v1/automation-runs?automationId=${id}`, { headers: auth })).body.items;

  test("creates one run for an occurrence, and stores the next occurrence", async () => {
    const automation = await createAutomation(server, auth, { schedule: everyMinute });
    const at = thisMinute();
    await dueSince(automation.id, at);
    await Promise.all([
      startDueAutomations(server.platform),
      startDueAutomations(server.platform),
      startDueAutomations(server.platform),
    ]);
    expect(await listRuns(automation.id)).toMatchObject([
      { status: "queued", trigger: "schedule", occurrenceAt: at },
    ]);
    const { body } = await server.call(`/v1/automations/${automation.id}`, { headers: auth });
    expect(body.automation.nextRunAt).toBeGreaterThan(at);
  });

  test("an occurrence is skipped while an earlier run is not finished, and the skipped run names it", async () => {
    const automation = await createAutomation(server, auth, { schedule: everyMinute });
    const running = await runNow(server, auth, automation.id);
    await dueSince(automation.id, thisMinute());
    await startDueAutomations(server.platform);
    const [skipped] = await listRuns(automation.id);
    expect(skipped).toMatchObject({ status: "skipped", reason: "overlap" });
    expect(skipped.reasonDetail).toContain(running.id);
    expect(skipped.finishedAt).toBeTypeOf("number");
  });

  test("occurrences during a downtime are reported as missed, and the latest one runs when it is recent", async () => {
    const automation = await createAutomation(server, auth, { schedule: everyMinute });
    const since = thisMinute() - 30 * 60_000;
    await dueSince(automation.id, since);
    await startDueAutomations(server.platform);
    const [queued, missed] = await listRuns(automation.id);
    expect(queued).toMatchObject({ status: "queued" });
    expect(missed).toMatchObject({ status: "skipped", reason: "missed", occurrenceAt: since });
    expect(missed.reasonDetail).toMatch(/^3[01] times/);
  });

  test("an occurrence of a daily schedule three hours ago is missed, and does not run late", async () => {
    const at = new Date(thisMinute() - 3 * 3600_000);
    const daily = { kind: "daily", hour: at.getUTCHours(), minute: at.getUTCMinutes(), timezone: "UTC" };
    const automation = await createAutomation(server, auth, { schedule: daily });
    await dueSince(automation.id, at.getTime());
    await startDueAutomations(server.platform);
    expect(await listRuns(automation.id)).toMatchObject([{ status: "skipped", reason: "missed" }]);
    expect((await listRuns(automation.id))[0].reasonDetail).toMatch(/^Once/);
  });

  test("a month of missed occurrences, one each minute, is handled within seconds", async () => {
    const automation = await createAutomation(server, auth, { schedule: everyMinute });
    await dueSince(automation.id, thisMinute() - 30 * 24 * 3600_000);
    const started = performance.now();
    await startDueAutomations(server.platform);
    expect(performance.now() - started).toBeLessThan(3_000);
    expect((await listRuns(automation.id))[1].reasonDetail).toMatch(/^More than 1000 times/);
  });

  test("an automation in a time zone that this runtime does not know does not stop the others", async () => {
    const unknown = await createAutomation(server, auth, { schedule: everyMinute });
    const known = await createAutomation(server, auth, { schedule: everyMinute });
    const at = thisMinute();
    await dueSince(unknown.id, at - 60_000);
    await dueSince(known.id, at);
    const { db } = server.platform;
    const setZone = (zone: string) =>
      db.run(sql`
        update automation_revisions set schedule = jsonb_set(schedule, '{timezone}', to_jsonb(${zone}::text))
        where automation_id = ${unknown.id}`);
    await setZone("America/Atlantis");
    await startDueAutomations(server.platform);
    expect(await listRuns(known.id)).toMatchObject([{ status: "queued", occurrenceAt: at }]);
    expect(await listRuns(unknown.id)).toEqual([]);
    // It waits, and is started as soon as its schedule can be computed.
    await setZone("UTC");
    server.platform.state.get(failedStarts).clear();
    await startDueAutomations(server.platform);
    expect(await listRuns(unknown.id)).toHaveLength(2);
  });

  test("a schedule of the kind `once` is due once", async () => {
    const automation = await createAutomation(server, auth, {
      schedule: { kind: "once", at: Date.now() + 300, timezone: "UTC" },
    });
    await startDueAutomations(server.platform);
    expect(await listRuns(automation.id)).toEqual([]);
    await pause(350);
    await startDueAutomations(server.platform);
    await startDueAutomations(server.platform);
    expect(await listRuns(automation.id)).toHaveLength(1);
    const { body } = await server.call(`/v1/automations/${automation.id}`, { headers: auth });
    expect(body.automation.nextRunAt).toBeNull();
  });
});

test("two replicas that start due automations at the same time make 1,000 runs of 1,000 automations", async () => {
  const database = await createDatabase();
  const servers = [await startServer(database)];
  if (database.kind === "postgres") servers.push(await startServer(database));
  const server = servers[0]!;
  const { auth } = (await createWorkspace(server)).owner;
  const automation = await createAutomation(server, auth, { schedule: everyDay });
  const { db } = server.platform;
  await db.run(sql`
    insert into automations (id, org_id, member_id, status, revision, next_run_at)
    select 'aut_' || lpad(n::text, 26, '0'), org_id, member_id, 'active', 1, now() - interval '1 second'
    from automations, generate_series(1, 1000) n where id = ${automation.id}`);
  await db.run(sql`
    insert into automation_revisions (automation_id, revision, name, instructions, schedule, max_runtime_seconds, created_by)
    select 'aut_' || lpad(n::text, 26, '0'), 1, v.name, v.instructions, v.schedule, 60, v.created_by
    from automation_revisions v, generate_series(1, 1000) n where v.automation_id = ${automation.id}`);
  await Promise.all(
    servers.flatMap(({ platform }) => [startDueAutomations(platform), startDueAutomations(platform)]),
  );
  await Promise.all(servers.map(({ platform }) => startDueAutomations(platform)));
  const counted = await db.row<{ runs: number; automations: number }>(sql`
    select count(*) as runs, count(distinct automation_id) as automations from automation_runs where status = 'queued'`);
  expect(counted).toEqual({ runs: 1000, automations: 1000 });
  for (const one of servers) await one.close();
  await database.drop();
}, 60_000);

describe("retention", () => {
  const server = useServer();
  let auth: Auth;
  beforeAll(async () => {
    auth = (await createWorkspace(server)).owner.auth;
  });
  const prune = () => pruneAll(server.platform, Date.now() + 30_000);
  const age = (id: string, days: number) =>
    server.platform.db.run(
      sql`update automation_runs set finished_at = now() - make_interval(days => ${days}) where id = ${id}`,
    );
  const countEvents = async () =>
    (await server.platform.db.row<{ n: number }>(
      sql`select coalesce(sum(last_sequence - previous_sequence), 0)::int as n from automation_events`,
    ))!.n;

  test("deletes events first, then runs, and keeps the usage", async () => {
    const settings = { eventRetentionDays: 10, runRetentionDays: 20 };
    await server.call("/v1/automation-settings", { method: "PATCH", body: settings, headers: auth });
    const [young, old, ancient, running] = [
      await queueRun(server, auth),
      await queueRun(server, auth),
      await queueRun(server, auth),
      await queueRun(server, auth),
    ];
    for (const { id } of [young, old, ancient, running]) {
      await reportBatch(server, auth, id, [event(0), event(1)]);
    }
    for (const { id } of [young, old, ancient]) {
      await complete(server, auth, id, { attempt: 1, status: "succeeded", usage: { costMicros: 7 } });
    }
    await age(young.id, 9);
    await age(old.id, 11);
    await age(ancient.id, 21);
    await prune();
    expect(await readEvents(server, auth, young.id)).toHaveLength(2);
    expect(await readEvents(server, auth, running.id)).toHaveLength(2);
    expect(await readEvents(server, auth, old.id)).toEqual([]);
    expect((await readRun(server, auth, old.id)).run.eventsPrunedAt).toBeTypeOf("number");
    expect((await readRun(server, auth, ancient.id)).error).toBe("automation_run_not_found");
    expect(await countEvents()).toBe(4);
    const usage = await server.call("/v1/automation-usage", { headers: auth });
    expect(usage.body.totals.costMicros).toBe(21);
  });

  test("a deleted organization leaves no events", async () => {
    const before = await countEvents();
    const globex = await createWorkspace(server, "Globex");
    const run = await queueRun(server, globex.owner.auth);
    await reportBatch(server, globex.owner.auth, run.id, [event(0), event(1), event(2)]);
    await server.platform.db.run(sql`delete from organizations where id = ${globex.orgId}`);
    expect(await countEvents()).toBe(before + 3);
    await removeLeftovers(server.platform, Date.now() + 20_000);
    await prune();
    expect(await countEvents()).toBe(before);
  });

  test("event reports are accepted while a large run is being deleted", async () => {
    const [large, live] = [await queueRun(server, auth), await queueRun(server, auth)];
    const batch = (from: number) => Array.from({ length: 500 }, (_, i) => event(from + i));
    for (let from = 0; from < 5000; from += 500) await reportBatch(server, auth, large.id, batch(from));
    await complete(server, auth, large.id, { attempt: 1, status: "succeeded" });
    await age(large.id, 11);
    await report(server, auth, live.id, event(0));
    const pruning = prune();
    for (let n = 1; n < 20; n++) expect((await report(server, auth, live.id, event(n))).status).toBe(200);
    await pruning;
    expect(await readEvents(server, auth, large.id)).toEqual([]);
  });
});

test("a due automation waits for a few automations of another organization, not for all of them", {
  timeout: 120_000,
}, async () => {
  const database = await createDatabase();
  const server = await startServer(database);
  const [greedy, other] = [await createWorkspace(server, "Greedy"), await createWorkspace(server, "Other")];
  const first = await createAutomation(server, greedy.owner.auth, { schedule: everyDay });
  const late = await createAutomation(server, other.owner.auth, { schedule: everyDay });
  const { db } = server.platform;
  await db.run(sql`
    insert into automations (id, org_id, member_id, status, revision, next_run_at)
    select 'aut_' || lpad(n::text, 26, '0'), org_id, member_id, 'active', 1, now() - interval '1 minute'
    from automations, generate_series(1, 300) n where id = ${first.id}`);
  await db.run(sql`
    insert into automation_revisions (automation_id, revision, name, instructions, schedule, max_runtime_seconds, created_by)
    select 'aut_' || lpad(n::text, 26, '0'), 1, v.name, v.instructions, v.schedule, 60, v.created_by
    from automation_revisions v, generate_series(1, 300) n where v.automation_id = ${first.id}`);
  await db.run(sql`update automations set next_run_at = now() where id = ${late.id}`);
  await startDueAutomations(server.platform);
  const counted = await db.row<{ all: number; before: number }>(sql`
    select count(*) as all, count(*) filter (where id < (select id from automation_runs
      where automation_id = ${late.id})) as before from automation_runs`);
  expect(counted!.all).toBe(301);
  expect(counted!.before).toBeLessThan(25);
  await server.close();
  await database.drop();
});
