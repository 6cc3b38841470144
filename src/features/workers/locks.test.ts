import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  createWorkspace,
  joinWorkspace,
  type Reply,
  useServer,
  type Workspace,
} from "../../../test/harness.ts";
import {
  beat,
  createRegistrationToken,
  createWorker,
  passTime,
  reportRuntime,
  runWorkerJob,
  type TestWorker,
} from "../../../test/workers.ts";
import type { OrgId } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/index.ts";
import { recordStates } from "./activity/index.ts";
import { continueRollouts } from "./rollouts/index.ts";
import { startUpgrade } from "./upgrades/index.ts";

/** Every transaction locks `workers` before rows that belong to a worker, so that none wait for each other in a circle. */
describe.skipIf(inject("engine") === "pglite")("the order of locks (PostgreSQL only)", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    await server.platform.db.run(sql`update worker_service set outages = '{}'`);
  });
  const call = (method: string, path: string, body?: object) =>
    server.call(path, { method, headers: acme.owner.auth, ...(body ? { body } : {}) });
  const createSeen = async (body: object = {}): Promise<TestWorker> => {
    const worker = await createWorker(server, acme.owner.auth, { ...body });
    await reportRuntime(server, worker, { bootId: "one" });
    await beat(server, worker, 1);
    return worker;
  };
  const lockWorker = (tx: Db, { id }: TestWorker) =>
    tx.rows(sql`select from workers where id = ${id} for update`);

  /**
   * Locks the worker, starts `work`, and waits until it waits for this transaction. Then locks `rows`, which fails when
   * `work` has locked one of them before the worker: both would wait for each other.
   */
  const interleave = async (
    worker: TestWorker,
    work: () => Promise<unknown>,
    rows: ReturnType<typeof sql>,
  ): Promise<void> => {
    const { ended } = await server.platform.db.transaction(async (tx) => {
      await lockWorker(tx, worker);
      const started = work();
      started.catch(() => {});
      for (let tries = 0; !(await isWaitedFor(tx)); tries++) {
        if (tries === 500) throw new Error("The work does not wait for the worker.");
        await sleep(20);
      }
      await tx.rows(sql`select from ${rows} for update nowait`);
      return { ended: started };
    });
    await ended;
  };
  const isWaitedFor = async (tx: Db): Promise<boolean> =>
    (await tx.row(
      sql`select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
    )) !== undefined;

  test("an upgrade times out in the same order as another one is started", async () => {
    const worker = await createSeen();
    const { id } = (await call("POST", `/v1/workers/${worker.id}/runtime/upgrade`, { version: "2.0.0" })).body
      .upgrade;
    await server.platform.db.run(
      sql`update worker_upgrades set deadline_at = now() - interval '1 second' where id = ${id}`,
    );
    // The states are recorded before, so that the next sweep only waits because of the upgrade.
    await server.platform.db.transaction(recordStates);
    await interleave(
      worker,
      () => runWorkerJob(server, "workers.sweep"),
      sql`worker_upgrades where id = ${id}`,
    );
    const { items } = (await call("GET", `/v1/workers/${worker.id}/runtime/upgrades`)).body;
    expect(items).toMatchObject([{ state: "timed_out" }]);
  });

  test("a rollout that ends locks workers in the same order as one that starts", async () => {
    const label = `locks-${Date.now()}`;
    const worker = await createSeen({ labels: [label] });
    const body = { version: "2.0.0", percent: 100, labels: [label] };
    const { rollout } = (await call("POST", "/v1/worker-rollouts", body)).body;
    await interleave(
      worker,
      () => call("DELETE", `/v1/worker-rollouts/${rollout.id}`),
      sql`worker_upgrades where worker_id = ${worker.id}`,
    );
    expect((await call("GET", `/v1/worker-rollouts/${rollout.id}`)).body.rollout.counts.open).toBe(0);
  });

  /** Requests an upgrade to 3.0.0 in a transaction that `work` waits for. */
  const upgradeMeanwhile = async (worker: TestWorker, work: () => Promise<unknown>): Promise<void> => {
    const { ended } = await server.platform.db.transaction(async (tx) => {
      await lockWorker(tx, worker);
      const started = work();
      started.catch(() => {});
      await expect.poll(() => isWaitedFor(tx), { timeout: 10_000, interval: 20 }).toBe(true);
      const upgrade = { version: "3.0.0", rolloutId: null, seconds: 3600 };
      await startUpgrade(tx, acme.orgId as OrgId, worker.id, upgrade);
      return { ended: started };
    });
    await ended;
  };
  const listUpgrades = async ({ id }: TestWorker) =>
    (await call("GET", `/v1/workers/${id}/runtime/upgrades`)).body.items;

  test("a rollout does not replace an upgrade that was requested at the same moment", async () => {
    const label = `meanwhile-${Date.now()}`;
    const worker = await createSeen({ labels: [label] });
    const rollout = { version: "2.0.0", percent: 100, labels: [label] };
    await upgradeMeanwhile(worker, () => call("POST", "/v1/worker-rollouts", rollout));
    expect(await listUpgrades(worker)).toMatchObject([{ version: "3.0.0", state: "requested" }]);
  });

  test("an upgrade that a worker missed does not replace one that was requested at the same moment", async () => {
    const worker = await createSeen();
    const { id } = (await call("POST", `/v1/workers/${worker.id}/runtime/upgrade`, { version: "2.0.0" })).body
      .upgrade;
    await server.platform.db.transaction(async (tx) => {
      await tx.run(sql`
        update worker_upgrades set state = 'timed_out', ended_at = now() - interval '1 minute', missed = true
        where id = ${id}`);
      await tx.run(sql`update workers set upgrade_id = null where id = ${worker.id}`);
    });
    await upgradeMeanwhile(worker, () => continueRollouts(server.platform));
    expect(await listUpgrades(worker)).toMatchObject([
      { version: "3.0.0", state: "requested" },
      { version: "2.0.0", state: "timed_out" },
    ]);
  });

  test("a worker that is not seen for long is removed in the same order as it reports", async () => {
    const worker = await createSeen();
    await passTime(server, worker.id, 20 * 24 * 3600);
    await interleave(
      worker,
      () => runWorkerJob(server, "workers.fleet"),
      sql`worker_beats where worker_id = ${worker.id}`,
    );
    expect((await call("GET", `/v1/workers/${worker.id}`)).status).toBe(404);
  });

  test("states are recorded without waiting for a worker that is being removed", async () => {
    const [removed, other] = [await createSeen(), await createSeen()];
    const { job } = await server.platform.db.transaction(async (tx) => {
      await lockWorker(tx, removed);
      const sweep = runWorkerJob(server, "workers.sweep");
      sweep.catch(() => {});
      const findState = () =>
        tx.row<{ state: string }>(sql`select state from worker_states where worker_id = ${other.id}`);
      for (let tries = 0; (await findState())?.state !== "idle"; tries++) {
        if (tries === 500) throw new Error("The state of the other worker is not recorded.");
        await sleep(20);
      }
      await tx.run(sql`delete from workers where id = ${removed.id}`);
      return { job: sweep };
    });
    await job;
  });

  test("a worker gets a token for its runner in the same order as it is removed", async () => {
    const worker = await createSeen();
    const getToken = () =>
      server.call(`/v1/workers/${worker.id}/runner-token`, {
        body: { concurrency: 1 },
        headers: worker.auth,
      });
    expect((await getToken()).status).toBe(200);
    await interleave(worker, getToken, sql`automation_runners where name = ${worker.id}`);
  });

  /** Starts each of these when the one before waits for what `lock` locks, and returns their replies. */
  const runInOrder = async (
    lock: (tx: Db) => Promise<unknown>,
    requests: readonly (() => Promise<Reply>)[],
  ) => {
    const { db } = server.platform;
    const { replies } = await db.transaction(async (tx) => {
      await lock(tx);
      const countWaiting = async () =>
        (
          await db.rows(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        ).length;
      const replies: Promise<Reply>[] = [];
      for (const request of requests) {
        replies.push(request());
        await expect.poll(countWaiting, { timeout: 10_000, interval: 20 }).toBe(replies.length);
      }
      return { replies };
    });
    return Promise.all(replies);
  };

  test("a report that is repeated does not end the drain that was requested after the first one", async () => {
    const worker = await createSeen();
    const report = () => reportRuntime(server, worker, { bootId: "two" });
    const drain = () => call("POST", `/v1/workers/${worker.id}/drain`);
    const replies = await runInOrder((tx) => lockWorker(tx, worker), [report, drain, report]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await call("GET", `/v1/workers/${worker.id}`)).body.worker.drainRequestedAt).not.toBeNull();
  });

  test("a worker gets a token for its runner only with a token that has not ended, and for its present owner", async () => {
    const worker = await createSeen();
    const getToken = () =>
      server.call(`/v1/workers/${worker.id}/runner-token`, { body: {}, headers: worker.auth });
    const admin = await joinWorkspace(server, acme, "admin");
    const takeOver = () =>
      server.call(`/v1/workers/${worker.id}`, {
        ...{ method: "PATCH", body: { takeOver: true }, headers: admin.auth },
      });
    const [taken, given] = await runInOrder((tx) => lockWorker(tx, worker), [takeOver, getToken]);
    expect([taken!.status, given!.status]).toEqual([200, 200]);
    const runner = { headers: { authorization: `Bearer ${given!.body.token}` } };
    expect((await server.call("/v1/automation-runner/work", runner)).status).toBe(200);
    const rotate = () => call("POST", `/v1/workers/${worker.id}/tokens`, { endEarlierTokens: true });
    const [rotated, refused] = await runInOrder((tx) => lockWorker(tx, worker), [rotate, getToken]);
    expect([rotated!.status, refused!.status]).toEqual([201, 401]);
  });

  test("a machine registers only with a secret that has not ended", async () => {
    const { id, auth } = await createRegistrationToken(server, acme.owner.auth);
    const path = `/v1/worker-registration-tokens/${id}/rotate`;
    const rotate = () => call("POST", path, { endEarlierSecrets: true });
    const register = () =>
      server.call("/v1/workers/register", { body: { instanceId: "machine-of-somebody" }, headers: auth });
    const [rotated, refused] = await runInOrder(
      (tx) => tx.rows(sql`select from worker_registration_tokens where id = ${id} for update`),
      [rotate, register],
    );
    expect([rotated!.status, refused!.status]).toEqual([201, 401]);
  });

  test("everything at once leaves no transaction without an answer", async () => {
    const label = `all-${Date.now()}`;
    const workers: TestWorker[] = [];
    for (let i = 0; i < 6; i++) workers.push(await createSeen({ labels: [label] }));
    const statuses: number[] = [];
    const note = async (reply: Promise<{ status: number }>) => void statuses.push((await reply).status);
    await Promise.all([
      ...workers.flatMap((worker, i) => [
        ...[1, 2, 3].map((n) => note(reportRuntime(server, worker, { version: `2.0.${n}` }))),
        note(beat(server, worker, i + 2)),
        note(call("POST", `/v1/workers/${worker.id}/runtime/upgrade`, { version: `2.0.${i}` })),
        ...(i < 2 ? [note(call("DELETE", `/v1/workers/${worker.id}`))] : []),
      ]),
      ...[1, 2, 3].map((n) =>
        note(call("POST", "/v1/worker-rollouts", { version: `2.0.${n}`, percent: 100, labels: [label] })),
      ),
      runWorkerJob(server, "workers.sweep"),
      runWorkerJob(server, "workers.fleet"),
    ]);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});
