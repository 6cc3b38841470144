import { beforeAll, describe, expect, inject, test } from "vitest";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import {
  beat,
  createWorker,
  passTime,
  readWorker,
  reportRuntime,
  runWorkerJob,
  type TestWorker,
} from "../../../../test/workers.ts";
import { sql } from "../../../platform/db/index.ts";

describe("rollouts", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    await server.platform.db.run(sql`update worker_service set outages = '{}'`);
  });
  const call = (method: string, path: string, body?: object, headers = acme.owner.auth) =>
    server.call(path, { method, headers, ...(body ? { body } : {}) });
  let made = 0;
  const newLabel = () => `rollouts-${++made}`;
  const start = async (label: string, version: string, headers = acme.owner.auth) =>
    (await call("POST", "/v1/worker-rollouts", { version, percent: 100, labels: [label] }, headers)).body
      .rollout;
  const createSeen = async (label: string, headers = acme.owner.auth): Promise<TestWorker> => {
    const worker = await createWorker(server, headers, { labels: [label] });
    await reportRuntime(server, worker, { bootId: "one" });
    return worker;
  };
  const listUpgrades = async ({ id }: TestWorker) =>
    (await call("GET", `/v1/workers/${id}/runtime/upgrades`)).body.items;
  const read = ({ id }: TestWorker) => readWorker(server, acme.owner.auth, id);
  /** Ends the time of the open upgrade of a worker that was last seen before it was requested. */
  const passDeadline = async ({ id }: TestWorker) => {
    await server.platform.db.run(
      sql`update worker_upgrades set deadline_at = now() - interval '1 second' where worker_id = ${id}`,
    );
    await runWorkerJob(server, "workers.sweep");
  };

  test("beyond the limit of the organization are refused, and a replaced one does not count", async () => {
    const { owner, orgId } = await createWorkspace(server);
    await server.platform.db.run(
      sql`insert into organization_quotas (org_id, quota, max) values (${orgId}, 'worker_rollouts', 2)`,
    );
    const post = (labels: string[]) =>
      call("POST", "/v1/worker-rollouts", { version: "2.0.0", percent: 1, labels }, owner.auth);
    expect((await post(["a"])).status).toBe(201);
    const second = await post(["b"]);
    expect(second.status).toBe(201);
    expect((await post(["c"])).body).toMatchObject({ error: "quota_exceeded" });
    expect((await post(["a"])).status).toBe(201);
    const path = `/v1/worker-rollouts/${second.body.rollout.id}`;
    expect((await call("DELETE", path, undefined, owner.auth)).status).toBe(204);
    expect((await post(["c"])).status).toBe(201);
  });

  test("that have ended are kept up to a number", async () => {
    const { owner, orgId } = await createWorkspace(server);
    await server.platform.db.run(sql`
      insert into worker_rollouts (id, org_id, version, percent, deadline_seconds, ended_at, labels)
      select 'wro_' || lpad(n::text, 26, '0'), ${orgId}, '1.0.0', 1, 60, now(), array[n::text]
      from generate_series(1, 205) n`);
    await call("POST", "/v1/worker-rollouts", { version: "2.0.0", percent: 1, labels: [] }, owner.auth);
    const { count } = (await server.platform.db.row<{ count: number }>(
      sql`select count(*)::int as count from worker_rollouts where org_id = ${orgId}`,
    ))!;
    expect(count).toBe(201);
  });

  test("for the same labels replace each other, also when they are created at the same moment", async () => {
    const [one, two] = [newLabel(), newLabel()];
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        call("POST", "/v1/worker-rollouts", {
          ...{ version: `2.0.${i}`, percent: 100, labels: i % 2 ? [one, two] : [two, one, two] },
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    const { items } = (await call("GET", "/v1/worker-rollouts?limit=100")).body;
    const active = items.filter(
      ({ labels, endedAt }: { labels: string[]; endedAt: number | null }) =>
        labels.includes(one) && endedAt === null,
    );
    expect(active).toHaveLength(1);
  });

  test("ask a worker again that was off, when it comes back, and once only", async () => {
    const label = newLabel();
    const worker = await createSeen(label);
    await passTime(server, worker.id, 600);
    const { id } = await start(label, "2.0.0");
    await passDeadline(worker);
    expect((await listUpgrades(worker))[0]).toMatchObject({ state: "timed_out" });
    await runWorkerJob(server, "workers.fleet");
    expect(await listUpgrades(worker)).toHaveLength(1);
    await reportRuntime(server, worker, { bootId: "two" });
    for (let i = 0; i < 2; i++) await runWorkerJob(server, "workers.fleet");
    const upgrades = await listUpgrades(worker);
    expect(upgrades.map(({ state }: { state: string }) => state)).toEqual(["requested", "timed_out"]);
    const { desired } = (await beat(server, worker, 1)).body;
    expect(desired).toMatchObject({ version: "2.0.0", upgradeId: upgrades[0].id });
    const { counts } = (await call("GET", `/v1/worker-rollouts/${id}`)).body.rollout;
    expect(counts).toEqual({ matching: 1, selected: 1, upgraded: 0, failed: 0, open: 1 });
    await reportRuntime(server, worker, { bootId: "three", version: "2.0.0" });
    expect((await call("GET", `/v1/worker-rollouts/${id}`)).body.rollout.counts).toMatchObject({
      ...{ selected: 1, upgraded: 1, failed: 0, open: 0 },
    });
  });

  test("do not ask a worker again that was there and did nothing, nor after they have ended", async () => {
    const label = newLabel();
    const [silent, away] = [await createSeen(label), await createSeen(label)];
    await passTime(server, away.id, 600);
    const { id } = await start(label, "2.0.0");
    await beat(server, silent, 1);
    await passDeadline(silent);
    await passDeadline(away);
    await beat(server, silent, 2);
    await call("DELETE", `/v1/worker-rollouts/${id}`);
    await reportRuntime(server, away, { bootId: "two" });
    await runWorkerJob(server, "workers.fleet");
    for (const worker of [silent, away]) expect(await listUpgrades(worker)).toHaveLength(1);
  });

  test("an upgrade of one worker is asked for again when the worker comes back", async () => {
    const worker = await createSeen(newLabel());
    await passTime(server, worker.id, 600);
    await call("POST", `/v1/workers/${worker.id}/runtime/upgrade`, { version: "2.0.0" });
    await passDeadline(worker);
    await reportRuntime(server, worker, { bootId: "two" });
    await runWorkerJob(server, "workers.fleet");
    expect((await listUpgrades(worker))[0]).toMatchObject({ state: "requested", version: "2.0.0" });
  });

  test("that end leave workers that were not upgraded with what was wanted of them before", async () => {
    const label = newLabel();
    const [upgraded, unasked, failed, away] = [
      await createSeen(label),
      await createSeen(label),
      await createSeen(label),
      await createSeen(label),
    ];
    await call("POST", `/v1/workers/${unasked.id}/runtime/upgrade`, { version: "1.5.0" });
    await reportRuntime(server, unasked, { version: "1.5.0" });
    await passTime(server, away.id, 600);
    const { id } = await start(label, "2.0.0");
    await reportRuntime(server, upgraded, { version: "2.0.0" });
    const [{ id: upgradeId }] = await listUpgrades(failed);
    const report = { upgradeId, state: "failed", reason: "No space." };
    await call("PATCH", `/v1/workers/${failed.id}/runtime/upgrade`, report, failed.auth as never);
    await passDeadline(away);
    expect(await read(failed)).toMatchObject({ desiredVersion: "2.0.0", freshness: "drifted" });
    await call("DELETE", `/v1/worker-rollouts/${id}`);
    expect(await read(upgraded)).toMatchObject({ desiredVersion: "2.0.0", freshness: "current" });
    expect(await read(unasked)).toMatchObject({ desiredVersion: "1.5.0", freshness: "current" });
    expect(await read(failed)).toMatchObject({ desiredVersion: null, freshness: "current" });
    expect(await read(away)).toMatchObject({ desiredVersion: null, freshness: "current" });
    expect((await beat(server, unasked, 1)).body.desired).toMatchObject({ version: "1.5.0" });
  });

  test("an upgrade that goes on after its rollout has ended, and fails, is not wanted any more", async () => {
    const label = newLabel();
    const worker = await createSeen(label);
    const { id } = await start(label, "2.0.0");
    const [{ id: upgradeId }] = await listUpgrades(worker);
    const report = (state: string) =>
      call("PATCH", `/v1/workers/${worker.id}/runtime/upgrade`, { upgradeId, state }, worker.auth as never);
    await report("acknowledged");
    await call("DELETE", `/v1/worker-rollouts/${id}`);
    expect(await read(worker)).toMatchObject({ desiredVersion: "2.0.0" });
    await report("failed");
    expect(await read(worker)).toMatchObject({ desiredVersion: null });
  });

  test.skipIf(inject("engine") === "pglite")(
    "of an organization whose workers are locked do not delay those of another (PostgreSQL only)",
    async () => {
      const [slow, other] = [await createWorkspace(server), await createWorkspace(server)];
      const label = newLabel();
      const rollouts: { id: string }[] = [];
      for (const { owner } of [slow, other]) rollouts.push(await start(label, "2.0.0", owner.auth));
      const late: TestWorker[] = [];
      for (const { owner } of [slow, other]) late.push(await createSeen(label, owner.auth));
      const findCounts = async (headers: typeof acme.owner.auth, id: string) =>
        (await call("GET", `/v1/worker-rollouts/${id}`, undefined, headers)).body.rollout.counts;
      const { job } = await server.platform.db.transaction(async (tx) => {
        await tx.rows(sql`select from workers where id = ${late[0]!.id} for update`);
        const running = runWorkerJob(server, "workers.fleet");
        await expect
          .poll(() => findCounts(other.owner.auth, rollouts[1]!.id), { timeout: 15_000 })
          .toMatchObject({ selected: 1 });
        expect(await findCounts(slow.owner.auth, rollouts[0]!.id)).toMatchObject({ selected: 0 });
        return { job: running };
      });
      await job;
      expect(await findCounts(slow.owner.auth, rollouts[0]!.id)).toMatchObject({ selected: 1 });
    },
  );
});
