import { beforeAll, describe, expect, test } from "vitest";
import { claim, complete, event, queueRun, readRun, report, reportBatch } from "../../../test/automations.ts";
import { createTemplate } from "../../../test/connectors.ts";
import {
  createKey,
  createRole,
  createWorkspace,
  joinWorkspace,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import { createProvider } from "../../../test/llm-providers.ts";
import { connectClient } from "../../../test/mcp-clients.ts";
import { seedTools } from "../../../test/mcp-tools.ts";
import { seedConnection } from "../../../test/oauth.ts";
import {
  beat,
  createRegistrationToken,
  createWorker,
  passTime,
  readWorker,
  reportRuntime,
  runWorkerJob,
  type TestWorker,
  workerBody,
} from "../../../test/workers.ts";
import { sql } from "../../platform/db/index.ts";

describe("workers", () => {
  const server = useServer({ role: "all" });
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    // The database was prepared some time ago, so the start of the server has recorded an outage.
    await server.platform.db.run(sql`update worker_service set outages = '{}'`);
  });
  const call = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = acme.owner.auth,
  ) => server.call(path, { method, headers, ...(body ? { body } : {}) });
  const create = (body?: Record<string, unknown>) => createWorker(server, acme.owner.auth, body);
  const read = (id: string) => readWorker(server, acme.owner.auth, id);
  const self = (worker: TestWorker, method: string, path: string, body?: object) =>
    call(method, `/v1/workers/${worker.id}${path}`, body, worker.auth);

  test("are registered, listed by state and label, renamed and removed", async () => {
    const [label, other] = [`rack-${Date.now()}`, "gpu"];
    const { id } = await create({ labels: [label, other] });
    const ephemeral = await create({ kind: "ephemeral", labels: [label] });
    await beat(server, ephemeral, 1, { status: "busy", runIds: ["run_1"] });
    const list = async (query: string) =>
      (await call("GET", `/v1/workers?label=${label}&${query}`)).body.items.map(
        (one: { id: string }) => one.id,
      );
    expect(await list("")).toEqual([ephemeral.id, id]);
    expect(await list("state=never_connected")).toEqual([id]);
    expect(await read(id)).toMatchObject({ lastSeenAt: null, unseenSeconds: null });
    expect(await list("state=busy&kind=ephemeral")).toEqual([ephemeral.id]);
    expect(await list("liveness=alive")).toEqual([ephemeral.id]);
    expect(await list("state=lost")).toEqual([]);
    expect(await read(ephemeral.id)).toMatchObject({ state: "busy", runIds: ["run_1"], liveness: "alive" });
    const taken = await call("PATCH", `/v1/workers/${id}`, {
      name: (await read(ephemeral.id)).name.toUpperCase(),
    });
    expect(taken).toMatchObject({ status: 409, body: { error: "worker_name_taken" } });
    const renamed = await call("PATCH", `/v1/workers/${id}`, { name: `renamed-${id}` });
    expect(renamed.body.worker).toMatchObject({ name: `renamed-${id}`, labels: [other, label].sort() });
    expect((await call("DELETE", `/v1/workers/${id}`)).status).toBe(204);
    expect((await call("GET", `/v1/workers/${id}`)).body).toEqual({ error: "worker_not_found" });
  });

  test("reach only themselves, and not after they are removed", async () => {
    const [one, other] = [await create(), await create()];
    expect((await beat(server, one, 1)).status).toBe(200);
    expect((await beat(server, { ...one, id: other.id }, 2)).body).toEqual({ error: "worker_not_found" });
    expect((await call("GET", "/v1/workers", undefined, one.auth)).status).toBe(401);
    await call("DELETE", `/v1/workers/${one.id}`);
    const refused = await beat(server, one, 3);
    expect(refused).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("keep an earlier token for a day after a rotation, unless it is to end at once", async () => {
    const worker = await create();
    const rotate = async (body?: object) => {
      const { body: made } = await call("POST", `/v1/workers/${worker.id}/tokens`, body);
      return { ...worker, token: made.token, auth: { authorization: `Bearer ${made.token}` } };
    };
    const second = await rotate();
    for (const [i, one] of [worker, second].entries()) expect((await beat(server, one, i)).status).toBe(200);
    expect((await call("GET", `/v1/workers/${worker.id}`)).body.tokens).toHaveLength(2);
    const third = await rotate({ endEarlierTokens: true });
    expect((await beat(server, worker, 3)).status).toBe(401);
    expect((await beat(server, second, 4)).status).toBe(401);
    expect((await beat(server, third, 5)).status).toBe(200);
  });

  test("have heartbeats that only move forward, also when many arrive at once", async () => {
    const worker = await create();
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => beat(server, worker, 30 - i)));
    for (const { status } of replies) expect(status).toBe(200);
    expect((await beat(server, worker, 7, { status: "busy" })).body).toMatchObject({
      sequence: 30,
      desired: { configurationRevision: 0, paused: false, drain: false },
    });
    expect((await read(worker.id)).state).toBe("idle");
    const { nextHeartbeatSeconds } = (await beat(server, worker, 31)).body;
    expect(nextHeartbeatSeconds).toBeGreaterThanOrEqual(13.5);
    expect(nextHeartbeatSeconds).toBeLessThanOrEqual(16.5);
  });

  test("go through their states as they are seen, and each change is in the timeline once", async () => {
    const worker = await create();
    const states: string[] = [(await read(worker.id)).state];
    const note = async () => {
      await Promise.all([runWorkerJob(server, "workers.sweep"), runWorkerJob(server, "workers.sweep")]);
      states.push((await read(worker.id)).state);
    };
    await reportRuntime(server, worker, { bootId: "boot-1" });
    await note();
    await beat(server, worker, 1);
    await note();
    await passTime(server, worker.id, 50);
    await note();
    await passTime(server, worker.id, 200);
    await note();
    expect(await read(worker.id)).toMatchObject({ liveness: "lost", reachability: "unreachable" });
    await beat(server, worker, 2, { status: "draining" });
    await note();
    await beat(server, worker, 3, { status: "stopped" });
    await note();
    await call("POST", `/v1/workers/${worker.id}/pause`, { note: "Moves to another rack." });
    await reportRuntime(server, worker, { bootId: "boot-2" });
    await note();
    expect(states).toEqual("never_connected online idle stale lost draining stopped paused".split(" "));
    const { items } = (await call("GET", `/v1/workers/${worker.id}/activity?limit=100`)).body;
    const changes = items.filter((one: { type: string }) => one.type === "state_changed").reverse();
    expect(changes.map(({ detail }: { detail: { to: string } }) => detail.to)).toEqual(states.slice(1));
    const limited = (await call("GET", `/v1/workers/${worker.id}/activity?limit=2`)).body;
    expect(limited.items).toHaveLength(2);
    expect(limited.nextCursor).not.toBeNull();
  });

  test("do not age while no server answers them, and have time to return", async () => {
    const [healthy, lost] = [await create(), await create()];
    for (const one of [healthy, lost]) await beat(server, one, 1);
    const { db } = server.platform;
    await db.run(sql`update worker_service set outages = '{}'`);
    // The service stopped an hour ago. One worker was lost a while before that.
    await passTime(server, healthy.id, 3600);
    await passTime(server, lost.id, 4000);
    await db.run(sql`update worker_service set alive_at = now() - interval '1 hour'`);
    expect((await read(healthy.id)).state).toBe("idle");
    expect((await read(lost.id)).state).toBe("lost");
    const { serviceClock } = await import("./service-times/index.ts");
    const { start } = server.platform.state.get(serviceClock);
    await start();
    await start();
    const outages = await db.rows<{ seconds: number }>(
      sql`select extract(epoch from upper(o) - lower(o))::int as seconds from worker_service, unnest(outages) o`,
    );
    expect(outages).toHaveLength(1);
    // Two intervals after the end still belong to the outage.
    expect(outages[0]!.seconds).toBeGreaterThanOrEqual(3600 + 30);
    expect((await read(healthy.id)).state).toBe("idle");
    expect((await read(lost.id)).state).toBe("lost");
    await db.run(sql`
      update worker_service set outages = outages * tstzmultirange(tstzrange(null, now() - interval '200 seconds'))`);
    expect((await read(healthy.id)).state).toBe("lost");
    await db.run(sql`update worker_service set outages = '{}'`);
  });

  test("that are not seen leave after 14 days, ephemeral ones after a day, with notice", async () => {
    const day = 24 * 3600;
    const [remote, ephemeral, seen] = [await create(), await create({ kind: "ephemeral" }), await create()];
    for (const one of [remote, ephemeral, seen]) await beat(server, one, 1);
    const announced = async () =>
      (
        await server.platform.db.rows<{ key: string }>(sql`
          select data ->> 'stage' || ' ' || (data ->> 'workerId') as key from notification_events
          where org_id = ${acme.orgId} and type = 'worker.unseen' order by 1`)
      ).map(({ key }) => key);
    const ours = async () =>
      (await announced()).filter((key) => key.includes(remote.id) || key.includes(ephemeral.id));
    await passTime(server, remote.id, 13 * day);
    await passTime(server, ephemeral.id, 19 * 3600);
    for (let i = 0; i < 2; i++) await runWorkerJob(server, "workers.fleet");
    expect(await ours()).toEqual([`removal_due ${remote.id}`, `removal_due ${ephemeral.id}`].sort());
    expect((await read(remote.id)).state).toBe("lost");
    await passTime(server, remote.id, day);
    await passTime(server, ephemeral.id, 6 * 3600);
    for (let i = 0; i < 2; i++) await runWorkerJob(server, "workers.fleet");
    for (const { id } of [remote, ephemeral])
      expect((await call("GET", `/v1/workers/${id}`)).status).toBe(404);
    expect((await ours()).filter((key) => key.startsWith("removed"))).toHaveLength(2);
    expect((await read(seen.id)).state).toBe("idle");
    const path = "/v1/audit-events?action=worker.removed&limit=100";
    const targets = (await call("GET", path)).body.items.map(
      (one: { target: { id: string } }) => one.target.id,
    );
    expect(targets.filter((id: string) => id === remote.id)).toHaveLength(1);
  });

  test("that register again with the same instance id are the same worker with a new token", async () => {
    const registration = await createRegistrationToken(server, acme.owner.auth, {
      labels: ["fleet"],
      maxUses: 2,
    });
    const register = (instanceId: string, headers = registration.auth) =>
      call("POST", "/v1/workers/register", { instanceId, name: "node", labels: ["a"] }, headers);
    const first = await register("machine-1");
    expect(first.body.worker).toMatchObject({ kind: "remote", labels: ["a", "fleet"] });
    const again = await register("machine-1");
    expect(again.body.worker.id).toBe(first.body.worker.id);
    const toWorker = ({ body }: typeof first): TestWorker => ({
      id: body.worker.id,
      token: body.token,
      auth: { authorization: `Bearer ${body.token}` },
    });
    expect((await beat(server, toWorker(first), 1)).status).toBe(401);
    expect((await beat(server, toWorker(again), 1)).status).toBe(200);
    const second = await register("machine-2");
    expect(second.status).toBe(201);
    expect(second.body.worker.name).toMatch(/^node-/);
    expect(await register("machine-3")).toMatchObject({
      status: 409,
      body: { error: "registration_token_used_up" },
    });
    expect((await register("machine-1")).status).toBe(201);
    const other = await createRegistrationToken(server, acme.owner.auth);
    expect((await register("machine-1", other.auth)).body.error).toBe("instance_taken");
    // It can do nothing else.
    expect((await call("GET", "/v1/workers", undefined, registration.auth)).status).toBe(401);
    const path = `/v1/worker-registration-tokens/${other.id}`;
    const rotated = await call("POST", `${path}/rotate`);
    const auth = { authorization: `Bearer ${rotated.body.token}` };
    for (const headers of [other.auth, auth]) expect((await register("machine-9", headers)).status).toBe(201);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await register("machine-9", auth)).status).toBe(401);
  });

  test("machines with one name that register with several tokens at the same moment all become workers", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const body = { name: "Machines", kind: "remote" };
        return (await call("POST", "/v1/worker-registration-tokens", body)).body.token as string;
      }),
    );
    for (let round = 0; round < 5; round++) {
      const name = `image-${round}`;
      const replies = await Promise.all(
        tokens.map((token, machine) =>
          call(
            "POST",
            "/v1/workers/register",
            { instanceId: `image-${round}-${machine}`, name },
            {
              authorization: `Bearer ${token}`,
            },
          ),
        ),
      );
      expect(replies.map(({ status, body }) => body.error ?? status)).toEqual(tokens.map(() => 201));
      const names = replies.map(({ body }) => body.worker.name as string);
      expect(new Set(names).size).toBe(tokens.length);
      expect(names).toContain(name);
    }
  });

  test("a registration token ends at a time that can be shown", async () => {
    const createUntil = (expiresAt: number) =>
      call("POST", "/v1/worker-registration-tokens", { name: "Machines", kind: "remote", expiresAt });
    const last = Date.UTC(9999, 11, 31);
    expect((await createUntil(last)).body.registrationToken.expiresAt).toBe(last);
    for (const expiresAt of [Date.now() - 1, last + 1, Number.MAX_SAFE_INTEGER])
      expect(await createUntil(expiresAt)).toMatchObject({
        status: 400,
        body: { details: [{ path: ["expiresAt"] }] },
      });
  });

  test("are upgraded from request to report, and drift and skew are shown", async () => {
    const worker = await create();
    await reportRuntime(server, worker);
    const path = `/v1/workers/${worker.id}/runtime`;
    const request = (version: string) => call("POST", `${path}/upgrade`, { version });
    const progress = (upgradeId: string, state: string, reason?: string) =>
      self(worker, "PATCH", "/runtime/upgrade", { upgradeId, state, ...(reason ? { reason } : {}) });
    const { upgrade } = (await request("2.0.0")).body;
    expect(upgrade).toMatchObject({ state: "requested", fromVersion: "1.0.0" });
    expect((await beat(server, worker, 1)).body.desired).toMatchObject({
      version: "2.0.0",
      upgradeId: upgrade.id,
    });
    expect((await call("GET", path)).body.runtime).toMatchObject({
      drift: true,
      skew: "current",
      freshness: "drifted",
    });
    for (const state of ["acknowledged", "acknowledged", "draining"])
      expect((await progress(upgrade.id, state)).body.upgrade.state).toBe(state);
    expect((await progress(upgrade.id, "acknowledged")).body.upgrade.state).toBe("draining");
    const done = await reportRuntime(server, worker, { version: "2.0.0", apiVersion: 9 });
    expect(done.body.desired.upgradeId).toBeUndefined();
    expect(done.body.runtime).toMatchObject({ drift: false, skew: "unsupported", health: "healthy" });
    const failing = (await request("3.0.0")).body.upgrade;
    expect((await progress(failing.id, "failed", "The disk is full.")).body.upgrade).toMatchObject({
      state: "failed",
      reason: "The disk is full.",
    });
    expect((await progress(failing.id, "draining")).body.error).toBe("upgrade_ended");
    expect((await beat(server, worker, 2)).body.desired).toMatchObject({ version: "3.0.0" });
    const late = (await request("3.0.1")).body.upgrade;
    await server.platform.db.run(
      sql`update worker_upgrades set deadline_at = now() - interval '1 second' where id = ${late.id}`,
    );
    await Promise.all([runWorkerJob(server, "workers.sweep"), runWorkerJob(server, "workers.sweep")]);
    const { items } = (await call("GET", `${path}/upgrades`)).body;
    expect(items.map(({ state }: { state: string }) => state)).toEqual(["timed_out", "failed", "upgraded"]);
    const activity = (await call("GET", `/v1/workers/${worker.id}/activity?limit=100`)).body.items;
    const ends = activity.filter(
      ({ detail }: { detail: { state?: string } }) => detail.state === "timed_out",
    );
    expect(ends).toHaveLength(1);
  });

  test("are upgraded in rings that only grow, and also when they connect later", async () => {
    const label = `ring-${Date.now()}`;
    const fleet: TestWorker[] = [];
    for (let i = 0; i < 12; i++) fleet.push(await create({ labels: [label] }));
    for (const worker of fleet.slice(0, 11)) await reportRuntime(server, worker);
    const body = { version: "2.0.0", percent: 30, labels: [label] };
    const { rollout } = (await call("POST", "/v1/worker-rollouts", body)).body;
    const listAsked = async () =>
      (
        await server.platform.db.rows<{ id: string }>(
          sql`select worker_id as id from worker_upgrades where rollout_id = ${rollout.id} order by 1`,
        )
      ).map(({ id }) => id);
    const first = await listAsked();
    const path = `/v1/worker-rollouts/${rollout.id}`;
    expect((await call("PATCH", path, { percent: 20 })).body.error).toBe("rollout_not_smaller");
    await call("PATCH", path, { percent: 60 });
    const second = await listAsked();
    expect(second).toEqual(expect.arrayContaining(first));
    const all = await call("PATCH", path, { percent: 100 });
    expect(all.body.rollout.counts).toEqual({ matching: 12, selected: 11, upgraded: 0, failed: 0, open: 11 });
    await reportRuntime(server, fleet[11]!);
    for (let i = 0; i < 2; i++) await runWorkerJob(server, "workers.fleet");
    expect(await listAsked()).toHaveLength(12);
    await reportRuntime(server, fleet[0]!, { version: "2.0.0" });
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", path)).body.rollout.counts).toMatchObject({ upgraded: 1, open: 0 });
    expect((await call("PATCH", path, { percent: 100 })).body.error).toBe("rollout_ended");
  });

  test("host a runner that takes no run while they are paused, and ends with them", async () => {
    const worker = await create();
    const { body } = await self(worker, "POST", "/runner-token", { concurrency: 2 });
    const auth = { authorization: `Bearer ${body.token}` };
    const { id: runId } = await queueRun(server, acme.owner.auth);
    const work = async () => (await call("GET", "/v1/automation-runner/work", undefined, auth)).body.items;
    expect((await work()).map((one: { runId: string }) => one.runId)).toContain(runId);
    const until = Date.now() + 3600_000;
    const paused = await call("POST", `/v1/workers/${worker.id}/pause`, { note: "Disk", until });
    expect(paused.body.worker.pause).toMatchObject({ note: "Disk", until });
    expect(await work()).toEqual([]);
    expect(await claim(server, auth, runId)).toBeNull();
    expect((await beat(server, worker, 1)).body.desired.paused).toBe(true);
    await call("POST", `/v1/workers/${worker.id}/resume`);
    const assignment = await claim(server, auth, runId);
    expect(assignment.runId).toBe(runId);
    const asRun = { authorization: `Bearer ${assignment.credential}` };
    expect((await call("GET", `/v1/automation-runs/${runId}`, undefined, asRun)).status).toBe(200);
    await call("DELETE", `/v1/workers/${worker.id}`);
    expect((await call("GET", "/v1/automation-runner/work", undefined, auth)).status).toBe(401);
    expect((await call("GET", `/v1/automation-runs/${runId}`, undefined, asRun)).status).toBe(401);
  });

  test("are not paused until a time that no calendar shows", async () => {
    const worker = await createWorker(server, acme.owner.auth);
    const until = Date.UTC(10_000, 0, 1);
    const reply = await call("POST", `/v1/workers/${worker.id}/pause`, { note: "Disk", until });
    expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["until"] }] } });
  });

  test("host a runner that claims no run by a first report while they are paused or drain", async () => {
    for (const request of ["pause", "drain"]) {
      const worker = await create();
      const { body } = await self(worker, "POST", "/runner-token", { concurrency: 1 });
      const auth = { authorization: `Bearer ${body.token}` };
      const [held, queued] = [
        await queueRun(server, acme.owner.auth),
        await queueRun(server, acme.owner.auth),
      ];
      expect((await claim(server, auth, held.id)).runId).toBe(held.id);
      await call("POST", `/v1/workers/${worker.id}/${request}`, { note: "Disk" });
      const refused = await report(server, auth, queued.id, event(0));
      expect(refused).toMatchObject({ status: 409, body: { error: "worker_takes_no_work" } });
      const batch = await reportBatch(server, auth, queued.id, [event(0)]);
      expect(batch).toMatchObject({ status: 409, body: { error: "worker_takes_no_work" } });
      const done = await complete(server, auth, queued.id, { attempt: 1, status: "succeeded" });
      expect(done).toMatchObject({ status: 409, body: { error: "worker_takes_no_work" } });
      expect((await readRun(server, acme.owner.auth, queued.id)).run.status).toBe("queued");
      expect((await report(server, auth, held.id, event(0))).status).toBe(200);
    }
  });

  test("drain on request, and a process that starts later does not", async () => {
    const worker = await create();
    await reportRuntime(server, worker, { bootId: "one" });
    await call("POST", `/v1/workers/${worker.id}/drain`);
    expect((await beat(server, worker, 1)).body.desired.drain).toBe(true);
    expect((await reportRuntime(server, worker, { bootId: "one" })).body.desired.drain).toBe(true);
    expect((await reportRuntime(server, worker, { bootId: "two" })).body.desired.drain).toBe(false);
  });

  test("limit the MCP connections of their runs, also when the registration token named them", async () => {
    const [tracker, wiki] = [await seedTools(server, acme, 1), await seedTools(server, acme, 1)];
    const mcpConnectionIds = [tracker.id];
    const registration = await createRegistrationToken(server, acme.owner.auth, { mcpConnectionIds });
    const made = await call("POST", "/v1/workers/register", { instanceId: "limited-1" }, registration.auth);
    expect(made.body.worker).toMatchObject({ mcpConnectionIds });
    const worker = { id: made.body.worker.id, auth: { authorization: `Bearer ${made.body.token}` } };
    const hosted = await call("POST", "/v1/workers/self/runner-token", { concurrency: 1 }, worker.auth);
    const { id: runId } = await queueRun(server, acme.owner.auth);
    const { credential } = await claim(server, { authorization: `Bearer ${hosted.body.token}` }, runId);
    const listUsable = async () => {
      const client = await connectClient("modern", `${server.url}/mcp?tools=all`, credential);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      return [tracker, wiki].filter(({ slug }) => names.includes(`${slug}__tool_1`)).map(({ id }) => id);
    };
    expect(await listUsable()).toEqual([tracker.id]);
    // The limit stays when its connection is deleted, and only somebody who manages connections takes it away.
    await call("DELETE", `/v1/mcp-connections/${tracker.id}`);
    expect((await call("PATCH", `/v1/workers/${worker.id}`, { name: "renamed" })).status).toBe(200);
    expect(await listUsable()).toEqual([]);
    const { key } = await createKey(server, acme.owner, { permissions: ["workers:manage"] });
    const refused = await call(
      "PATCH",
      `/v1/workers/${worker.id}`,
      { mcpConnectionIds: [] },
      { "x-api-key": key },
    );
    expect(refused).toMatchObject({ status: 403, body: { reason: "missing_permission" } });
    expect((await call("PATCH", `/v1/workers/${worker.id}`, { mcpConnectionIds: [] })).status).toBe(200);
    expect(await listUsable()).toEqual([wiki.id]);
  });

  test("get the templates and connections they were given, and what their owner may use", async () => {
    const template = await createTemplate(server, acme.owner.auth);
    const { connectionId } = await seedConnection(server, acme, { shared: true });
    const refused = await call("POST", "/v1/workers", workerBody({ mcpConnectionIds: ["mcp_1"] }));
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: ["mcpConnectionIds", 0] }] } });
    const unknown = await call("POST", "/v1/workers", workerBody({ templateIds: ["tpl_1"] }));
    expect(unknown.body.details[0].path).toEqual(["templateIds", 0]);
    const admin = await joinWorkspace(server, acme, "admin");
    const foreign = await call(
      "POST",
      "/v1/workers",
      workerBody({ connectionIds: [connectionId] }),
      admin.auth,
    );
    expect(foreign.body.details[0].path).toEqual(["connectionIds", 0]);
    const grants = { everyone: true, memberIds: [], teamIds: [] };
    await call("PUT", `/v1/oauth-connections/${connectionId}/grants`, grants);
    const worker = await create({ templateIds: [template.id], connectionIds: [connectionId] });
    const assigned = (await self(worker, "GET", "/assignments")).body;
    expect(assigned.templates).toMatchObject([{ id: template.id }]);
    expect(assigned.connections).toMatchObject([{ id: connectionId }]);
    expect((await self(worker, "GET", `/templates/${template.id}`)).body.template.body).toBeTypeOf("string");
    expect((await self(worker, "GET", "/templates/tpl_1")).status).toBe(404);
    const issued = await self(worker, "POST", `/connections/${connectionId}/token`);
    expect(issued.body).toMatchObject({ connectionId, tokenType: "Bearer" });
    await call("PUT", `/v1/oauth-connections/${connectionId}/grants`, { ...grants, everyone: false });
    expect((await self(worker, "POST", `/connections/${connectionId}/token`)).status).toBe(404);
  });

  test("get the credentials of the LLM providers they were given, and of no others", async () => {
    const [given, other] = [
      await createProvider(server, acme.owner.auth),
      await createProvider(server, acme.owner.auth),
    ];
    const limited = await createKey(server, acme.owner, { permissions: ["workers:manage"] });
    const body = workerBody({ llmProviderIds: [given.id] });
    expect((await call("POST", "/v1/workers", body, limited.auth)).body.reason).toBe("missing_permission");
    const unknown = workerBody({ llmProviderIds: [given.id, "llp_1"] });
    expect((await call("POST", "/v1/workers", unknown)).body.details[0].path).toEqual(["llmProviderIds", 1]);
    const registration = await createRegistrationToken(server, acme.owner.auth, {
      llmProviderIds: [given.id],
    });
    const instance = { instanceId: `llm-${Date.now()}` };
    const { worker, token } = (await call("POST", "/v1/workers/register", instance, registration.auth)).body;
    expect(worker.llmProviderIds).toEqual([given.id]);
    const self = { authorization: `Bearer ${token}` };
    const credential = async (id: string) =>
      (await call("GET", `/v1/llm-providers/${id}/credential`, undefined, self)).status;
    expect(await credential(given.id)).toBe(200);
    expect(await credential(other.id)).toBe(403);
    const assigned = await call("GET", "/v1/workers/self/assignments", undefined, self);
    expect(assigned.body.llmProviders).toMatchObject([{ id: given.id }]);
    // A token of the worker would give the key of the provider.
    const role = await createRole(server, acme.owner, ["workers:manage"]);
    const manager = await joinWorkspace(server, acme, role.id);
    expect((await call("POST", `/v1/workers/${worker.id}/tokens`, {}, manager.auth)).status).toBe(403);
    await call("PATCH", `/v1/workers/${worker.id}`, { llmProviderIds: [] });
    expect(await credential(given.id)).toBe(403);
  });

  test("act for whoever made their newest token, and for nobody whose credentials have ended", async () => {
    const admin = await joinWorkspace(server, acme, "admin");
    const worker = await createWorker(server, admin.auth);
    expect((await read(worker.id)).ownerId).toBe(admin.memberId);
    const limited = await createKey(server, acme.owner, { permissions: ["workers:manage"] });
    const rotated = await call("POST", `/v1/workers/${worker.id}/tokens`, {}, limited.auth);
    expect(rotated.body.worker.ownerId).not.toBe(admin.memberId);
    // The key could not start a runner itself.
    expect((await self(worker, "POST", "/runner-token", {})).body.reason).toBe("missing_permission");
    await call("PATCH", `/v1/workers/${worker.id}`, { takeOver: true }, admin.auth);
    expect((await self(worker, "POST", "/runner-token", {})).status).toBe(200);
    await call("DELETE", `/v1/members/${admin.memberId}`);
    expect((await self(worker, "POST", "/runner-token", {})).body.error).toBe("worker_without_owner");
    expect((await beat(server, worker, 1)).status).toBe(200);
  });

  test("read a new configuration in the answer to a heartbeat", async () => {
    const worker = await create();
    await reportRuntime(server, worker);
    // The database stores the names in another order.
    const configuration = { region: { name: "eu", id: 7 }, concurrency: 4, log: "debug" };
    // Sending the same configuration again changes nothing.
    for (const _ of [1, 2]) await call("PATCH", `/v1/workers/${worker.id}`, { configuration });
    expect((await beat(server, worker, 1)).body.desired).toMatchObject({
      configuration,
      configurationRevision: 1,
    });
    expect((await reportRuntime(server, worker, { configurationRevision: 0 })).body.runtime.drift).toBe(true);
    expect((await reportRuntime(server, worker, { configurationRevision: 1 })).body.runtime.drift).toBe(
      false,
    );
  });

  test("of another organization are unknown", async () => {
    const globex = await createWorkspace(server);
    const worker = await create();
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/activity"],
      ["GET", "/runtime"],
      ["DELETE", ""],
    ] as const)
      expect(
        await call(method, `/v1/workers/${worker.id}${path}`, undefined, globex.owner.auth),
      ).toMatchObject({
        status: 404,
        body: { error: "worker_not_found" },
      });
  });
});
