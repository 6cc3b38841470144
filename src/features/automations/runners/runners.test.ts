import { beforeAll, describe, expect, test } from "vitest";
import {
  type Auth,
  claim,
  complete,
  createRunner,
  event,
  loseLease,
  queueRun,
  report,
} from "../../../../test/automations.ts";
import {
  createDatabase,
  createKey,
  createWorkspace,
  joinWorkspace,
  startServer,
  useServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { openSse } from "../../../../test/sse.ts";
import { sql } from "../../../platform/db/index.ts";
import { invalidateCallers } from "../../../platform/http/index.ts";
import { endOverdueRuns } from "../runs/index.ts";

describe("a runner", () => {
  const server = useServer();
  let acme: Workspace;
  let auth: Auth;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    auth = acme.owner.auth;
  });
  const mint = (headers: Auth, body: Record<string, unknown>) =>
    server.call("/v1/automation-runners/token", { body, headers });
  const work = (headers: Auth) => server.call("/v1/automation-runner/work", { headers });

  test("gets a token for twelve hours under its own name", async () => {
    const { status, body } = await mint(auth, {
      runnerId: "build-machine-1",
      platform: "linux",
      version: "1.0",
    });
    expect(status).toBe(200);
    expect(body.token).toMatch(/^sbr_/);
    expect(body.eventsPath).toBe("/v1/automation-runners/events");
    expect(body.expiresAt - Date.now()).toBeGreaterThan(11.9 * 3600_000);
    expect(body.expiresAt - Date.now()).toBeLessThan(12.1 * 3600_000);
    const listed = await server.call("/v1/automation-runners", { headers: auth });
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ runnerId: "build-machine-1", platform: "linux", running: 0, serves: "own" }),
    );
  });

  test.each([
    ["runnerId", "short"],
    ["runnerId", "x".repeat(161)],
    ["runnerId", "line\nbreak"],
    ["concurrency", 0],
    ["concurrency", 17],
  ])("a wrong %s is refused", async (field, value) => {
    expect((await mint(auth, { runnerId: "a-good-name", [field]: value })).status).toBe(400);
  });

  test("its token can call the routes for runners and no others", async () => {
    const runner = await createRunner(server, auth);
    expect((await work(runner.auth)).status).toBe(200);
    for (const path of ["/v1/automations", "/v1/me", "/v1/members", "/v1/automation-runners"]) {
      expect((await server.call(path, { headers: runner.auth })).status).toBe(401);
    }
    expect((await mint(runner.auth, { runnerId: "another-one" })).status).toBe(401);
  });

  test("its token ends when it expires, and with its runner, its key and its member", async () => {
    const { db, bus } = server.platform;
    const ended = async (headers: Auth) =>
      expect.poll(async () => (await work(headers)).status, { timeout: 2000 }).toBe(401);

    const old = await createRunner(server, auth, { runnerId: "an-old-machine" });
    await db.run(sql`update automation_runner_tokens set expires_at = now() - interval '1 second'
      where runner_id = (select id from automation_runners where name = 'an-old-machine')`);
    await ended(old.auth);

    const removed = await createRunner(server, auth, { runnerId: "a-removed-machine" });
    expect((await work(removed.auth)).status).toBe(200);
    const { items } = (await server.call("/v1/automation-runners", { headers: auth })).body;
    const { id } = items.find((one: { runnerId: string }) => one.runnerId === "a-removed-machine");
    expect(
      (await server.call(`/v1/automation-runners/${id}`, { method: "DELETE", headers: auth })).status,
    ).toBe(204);
    await ended(removed.auth);

    const key = await createKey(server, acme.owner);
    const byKey = await createRunner(server, key.auth);
    expect((await work(byKey.auth)).status).toBe(200);
    await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: auth });
    await ended(byKey.auth);

    const brief = await createKey(server, acme.owner, { expiresAt: Date.now() + 3_600_000 });
    const byBrief = await createRunner(server, brief.auth);
    expect((await work(byBrief.auth)).status).toBe(200);
    await db.run(sql`update api_keys set expires_at = now() - interval '1 second' where id = ${brief.id}`);
    await ended(byBrief.auth);

    const member = await joinWorkspace(server, acme, "member");
    const theirs = await createRunner(server, member.auth);
    expect((await work(theirs.auth)).status).toBe(200);
    await db.run(sql`delete from members where id = ${member.memberId}`);
    await invalidateCallers(bus, db, member.memberId);
    await ended(theirs.auth);
  });

  test("a token that a limited key created has no more permissions than the key", async () => {
    const member = await joinWorkspace(server, acme, "member");
    const run = await queueRun(server, member.auth);
    const narrow = await createKey(server, acme.owner, { permissions: ["automations:create"] });
    const runner = await createRunner(server, narrow.auth);
    expect((await report(server, runner.auth, run.id, event(0))).status).toBe(404);
    expect((await mint(narrow.auth, { runnerId: "serves-everyone", serves: "organization" })).status).toBe(
      403,
    );
  });

  test("loses the run of another member when its own member loses access to that run", async () => {
    const { db, bus } = server.platform;
    const admin = await joinWorkspace(server, acme, "admin");
    const runner = await createRunner(server, admin.auth, { serves: "organization" });
    const run = await queueRun(server, auth);
    const beat = async () =>
      server.call(`/v1/automation-runs/${run.id}/heartbeat`, { body: { attempt: 1 }, headers: runner.auth });
    expect((await report(server, runner.auth, run.id, event(0))).status).toBe(200);
    expect((await beat()).status).toBe(200);
    expect((await work(runner.auth)).body.held).toMatchObject([{ runId: run.id }]);
    await db.run(sql`update members set role = 'member' where id = ${admin.memberId}`);
    await invalidateCallers(bus, db, admin.memberId);
    await expect.poll(async () => (await beat()).status, { timeout: 2000 }).toBe(404);
    expect((await work(runner.auth)).body.held).toEqual([]);
  });

  test("gets the runs of its member, and those of everyone only if it serves the organization", async () => {
    const globex = await createWorkspace(server, "Globex");
    const member = await joinWorkspace(server, globex, "member");
    const theirs = await queueRun(server, member.auth);
    const own = await createRunner(server, globex.owner.auth);
    const shared = await createRunner(server, globex.owner.auth, { serves: "organization" });
    const members = await createRunner(server, member.auth);
    const ids = async (headers: Auth) =>
      (await work(headers)).body.items.map((one: { runId: string }) => one.runId);
    expect(await ids(own.auth)).toEqual([]);
    expect(await ids(shared.auth)).toEqual([theirs.id]);
    expect(await ids(members.auth)).toEqual([theirs.id]);
    expect((await mint(member.auth, { runnerId: "too-ambitious", serves: "organization" })).status).toBe(403);
  });

  test("its work list has the queued runs, oldest first, and the runs that it holds", async () => {
    const globex = await createWorkspace(server, "Globex");
    const headers = globex.owner.auth;
    const [first, second, third] = [
      await queueRun(server, headers),
      await queueRun(server, headers, { name: "Second" }),
      await queueRun(server, headers),
    ];
    const runner = await createRunner(server, headers);
    await claim(server, runner.auth, first.id);
    await server.call(`/v1/automation-runs/${first.id}/cancel`, { method: "POST", headers });
    const { body } = await work(runner.auth);
    expect(body.items).toMatchObject([
      { runId: second.id, automationName: "Second", attempt: 1 },
      { runId: third.id },
    ]);
    expect(body.held).toMatchObject([{ runId: first.id, attempt: 1, cancelRequested: true }]);
  });
});

describe("wake-up messages", () => {
  const server = useServer();

  test("report queued runs, new runs and cancellations", async () => {
    const { auth } = (await createWorkspace(server)).owner;
    const before = await queueRun(server, auth);
    const runner = await createRunner(server, auth);
    const stream = await openSse(server.url + runner.eventsPath, runner.auth);
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(await stream.find(({ event }) => event === "sync")).toBeTruthy();
    await stream.find(({ event, data }) => event === "work" && data.runId === before.id);

    const started = performance.now();
    const next = await queueRun(server, auth);
    await stream.find(({ event, data }) => event === "work" && data.runId === next.id);
    expect(performance.now() - started).toBeLessThan(2_000);

    await claim(server, runner.auth, next.id);
    await server.call(`/v1/automation-runs/${next.id}/cancel`, { method: "POST", headers: auth });
    await stream.find(
      ({ event, data }) => event === "cancel" && data.runId === next.id && data.attempt === 1,
    );

    // Queued again after a lost lease, it is news again.
    await complete(server, runner.auth, next.id, { attempt: 1, status: "cancelled" });
    await claim(server, auth, before.id);
    await loseLease(server, before.id);
    await endOverdueRuns(server.platform);
    await stream.find(
      ({ event, data }) => event === "work" && data.runId === before.id && data.attempt === 2,
    );
    stream.close();
  });

  test("a runner that reconnects gets the messages after the last id that it got", async () => {
    const { auth } = (await createWorkspace(server)).owner;
    const old = await queueRun(server, auth);
    const runner = await createRunner(server, auth);
    await server.platform.db.run(
      sql`update automation_runs set queued_at = now() - interval '1 minute' where id = ${old.id}`,
    );
    const first = await openSse(server.url + runner.eventsPath, runner.auth);
    await first.find(({ data }) => data.runId === old.id);
    const recent = await queueRun(server, auth);
    const { id } = await first.find(({ data }) => data.runId === recent.id);
    first.close();
    const missed = await queueRun(server, auth);
    const again = await openSse(server.url + runner.eventsPath, { ...runner.auth, "last-event-id": id! });
    await again.find(({ data }) => data.runId === missed.id);
    const told = again.messages.map(({ data }) => data.runId);
    expect(told).not.toContain(old.id);
    expect(again.messages.map(({ event }) => event)).not.toContain("sync");
    again.close();
  });

  test("a deleted key ends the calls and streams of the runner token that it created", async () => {
    const person = (await createWorkspace(server)).owner;
    const key = await createKey(server, person);
    const runner = await createRunner(server, key.auth);
    const stream = await openSse(server.url + runner.eventsPath, runner.auth);
    await stream.find(({ event }) => event === "sync");
    const work = () => server.call("/v1/automation-runner/work", { headers: runner.auth });
    expect((await work()).status).toBe(200);
    await server.call(`/v1/api-keys/${key.id}`, { method: "DELETE", headers: person.auth });
    expect((await work()).status).toBe(401);
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, "late"));
    expect(await Promise.race([stream.ended.then(() => "ended"), late])).toBe("ended");
    stream.close();
  });

  test("a stream ends when its credential ends, and when the server stops", async () => {
    const database = await createDatabase();
    const server = await startServer(database);
    const { auth } = (await createWorkspace(server)).owner;
    const runner = await createRunner(server, auth, { runnerId: "to-be-removed" });
    const stays = await createRunner(server, auth);
    const [ends, last] = await Promise.all([
      openSse(server.url + runner.eventsPath, runner.auth),
      openSse(server.url + stays.eventsPath, stays.auth),
    ]);
    await Promise.all([ends, last].map((one) => one.find(({ event }) => event === "sync")));
    const { items } = (await server.call("/v1/automation-runners", { headers: auth })).body;
    const { id } = items.find((one: { runnerId: string }) => one.runnerId === "to-be-removed");
    await server.call(`/v1/automation-runners/${id}`, { method: "DELETE", headers: auth });
    await ends.ended;
    const closing = performance.now();
    await Promise.all([server.close(), last.ended]);
    expect(performance.now() - closing).toBeLessThan(2_000);
    await database.drop();
  });

  test("a run that one replica queues wakes a runner at the other", async () => {
    const database = await createDatabase();
    if (database.kind === "pglite") return;
    const [one, other] = [await startServer(database), await startServer(database)];
    const { auth } = (await createWorkspace(one)).owner;
    const runner = await createRunner(one, auth);
    const stream = await openSse(other.url + runner.eventsPath, runner.auth);
    await stream.find(({ event }) => event === "sync");
    const started = performance.now();
    const run = await queueRun(one, auth);
    await stream.find(({ data }) => data.runId === run.id);
    expect(performance.now() - started).toBeLessThan(2_000);
    stream.close();
    await Promise.all([one.close(), other.close()]);
    await database.drop();
  });
});
