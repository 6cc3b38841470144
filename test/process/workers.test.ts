import { readFileSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Body } from "../body.ts";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import { cleanUp, freshFolder, type RunningServer, type StartedCommand, serve, start } from "./kit.ts";
import { openWorkspace, type Workspace } from "./runner-kit.ts";

// `npm test` reports once that there is no PostgreSQL.
describe.skipIf(!(await isPostgresAvailable()))("a worker and two replicas", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let replicas: [RunningServer, RunningServer];
  let balancer: Server;
  let workspace: Workspace;
  let headers: Record<string, string>;
  let registration: string;
  /** Where requests go. */
  let target: RunningServer;
  const state = join(freshFolder(), "worker");

  beforeAll(async () => {
    database = await makeDatabase();
    const env = {
      DATABASE_URL: database.url,
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
      WORKER_HEARTBEAT_SECONDS: "1",
    };
    replicas = [await serve(undefined, env), await serve(undefined, env)];
    target = replicas[0];
    balancer = createServer((socket) => {
      const upstream = connect(Number(new URL(target.url).port), "127.0.0.1");
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const)
        from.on("error", () => to.destroy()).on("close", () => to.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
    // The database was prepared with the default interval. For a while, workers are judged by the longer one.
    await query("update worker_service set interval_changed_at = now() - interval '1 hour'");
    workspace = await openWorkspace(() => replicas[0].url);
    headers = { "x-api-key": workspace.key };
    const body = { name: "Machines", kind: "remote", labels: ["linux"] };
    registration = (await ask("/v1/worker-registration-tokens", body)).token;
  });
  afterAll(async () => {
    balancer?.close();
    await cleanUp();
    await database?.drop();
  });

  async function query(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(text);
    await client.end();
  }

  /** Calls the replica that is not killed later. */
  async function ask(
    path: string,
    body?: unknown,
    method = body === undefined ? "GET" : "POST",
  ): Promise<Body> {
    const response = await fetch(replicas[1].url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  }

  const startWorker = (version: string, program = "cat"): StartedCommand =>
    start(
      [
        ...["worker", "--url", `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`],
        ...["--state", state, "--name", "node-1", "--report-version", version, "--json"],
        "--upgrade-command",
        'test "$SIGNALBOX_UPGRADE_VERSION" = 2.0.0 || { echo "no such version" >&2; exit 3; }',
        ...["--command", program],
      ],
      { SIGNALBOX_WORKER_REGISTRATION_TOKEN: registration },
    );
  const readWorker = async (): Promise<Body> => (await ask("/v1/workers")).items[0];
  const waitForState = (...states: string[]) =>
    expect
      .poll(async () => (await readWorker())?.state, { timeout: 30_000, interval: 200 })
      .toBeOneOf(states);
  const readUpgrades = async (id: string): Promise<Body[]> =>
    (await ask(`/v1/workers/${id}/runtime/upgrades`)).items;

  test("is seen online, survives a replica, is seen stale and lost, is upgraded, drained, and refused when removed", async () => {
    let worker = startWorker("1.0.0");
    await waitForState("idle");
    const { id } = await readWorker();
    expect(statSync(join(state, "worker.json")).mode & 0o777).toBe(0o600);
    expect(await workspace.waitForStatus(await workspace.queue("one"), "succeeded")).toBeDefined();

    target = replicas[1];
    await replicas[0].end("SIGKILL");
    const { lastSeenAt } = await readWorker();
    await expect
      .poll(async () => (await readWorker()).lastSeenAt, { timeout: 20_000, interval: 200 })
      .toBeGreaterThan(lastSeenAt);

    await worker.end("SIGKILL");
    await waitForState("stale");
    await query("update worker_beats set seen_at = seen_at - interval '12 seconds'");
    await waitForState("lost");
    worker = startWorker("1.0.0", "sleep 1; cat");
    await waitForState("idle");
    expect((await readWorker()).id).toBe(id);

    await ask(`/v1/workers/${id}/runtime/upgrade`, { version: "3.0.0" });
    await expect
      .poll(async () => (await readUpgrades(id))[0], { timeout: 20_000, interval: 200 })
      .toMatchObject({ state: "failed", reason: expect.stringContaining("no such version") });
    await ask(`/v1/workers/${id}/runtime/upgrade`, { version: "2.0.0" });
    expect(await worker.ended).toBe(75);
    expect(JSON.parse(readFileSync(join(state, "worker.json"), "utf8")).upgrade.version).toBe("2.0.0");
    worker = startWorker("2.0.0", "sleep 1; cat");
    await waitForState("idle");
    expect((await readUpgrades(id))[0]).toMatchObject({ state: "upgraded", fromVersion: "1.0.0" });

    // The run that it has ends before it stops.
    const runId = await ask("/v1/automations", {
      name: "Slow",
      instructions: "slow",
      schedule: { kind: "manual" },
    }).then(({ automation }) =>
      ask(`/v1/automations/${automation.id}/run`, undefined, "POST").then(({ run }) => run.id),
    );
    await expect
      .poll(async () => (await ask(`/v1/automation-runs/${runId}`)).run.status, { timeout: 20_000 })
      .toBe("running");
    expect(await worker.end("SIGTERM")).toBe(0);
    expect((await ask(`/v1/automation-runs/${runId}`)).run.status).toBe("succeeded");
    expect((await readWorker()).state).toBe("stopped");

    worker = startWorker("2.0.0");
    await waitForState("idle");
    await ask(`/v1/workers/${id}/drain`, undefined, "POST");
    expect(await worker.ended).toBe(0);

    await ask(`/v1/workers/${id}`, undefined, "DELETE");
    worker = startWorker("2.0.0");
    expect(await worker.ended).toBe(4);
    expect(worker.output.stderr).toContain("does not accept the token of this worker");
    expect(worker.output.stdout + worker.output.stderr).not.toContain(registration);
  });
});
