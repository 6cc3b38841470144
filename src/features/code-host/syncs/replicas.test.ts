/** Several processes do syncs of one database. The embedded one has a single process by design. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  type CreatedConnector,
  createConnector,
  runSyncs,
  templateFile,
} from "../../../../test/connectors.ts";
import { type GitServer, startGitServer } from "../../../../test/fixtures/git-server.ts";
import {
  createDatabase,
  createWorkspace,
  startServer,
  type TestDatabase,
  type TestServer,
  type Workspace,
} from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";

describe.skipIf(inject("engine") !== "postgres")("syncs by several processes (PostgreSQL only)", () => {
  let database: TestDatabase;
  let api: TestServer;
  let git: GitServer;
  let acme: Workspace;
  beforeAll(async () => {
    database = await createDatabase();
    api = await startServer(database);
    git = await startGitServer();
    acme = await createWorkspace(api);
  });
  afterAll(async () => {
    await git?.close();
    await api?.close();
    await database?.drop();
  });

  const call = (path: string, method = "GET") => api.call(path, { method, headers: acme.owner.auth });
  const lastSync = async ({ id }: CreatedConnector) =>
    (await call(`/v1/connector-syncs?connectorId=${id}&limit=1`)).body.items[0];
  const connect = async (name: string) => {
    const repository = await git.repository(`acme/${name}`);
    await repository.commit({ [`templates/${name}.md`]: templateFile(name, "first") });
    const connector = await createConnector(api, acme.owner.auth, { cloneUrl: repository.url, name });
    return { repository, connector };
  };

  test("no connector is read twice at the same time, every push is synced, and both processes take part", async () => {
    const reading = new Map<string, number>();
    let most = 0;
    git.options.intercept = async (request) => {
      const name = request.url!.split("/")[2]!;
      const now = (reading.get(name) ?? 0) + 1;
      reading.set(name, now);
      most = Math.max(most, now);
      await pause(15);
      reading.set(name, reading.get(name)! - 1);
      return false;
    };
    const replicas = await Promise.all([1, 2].map(() => startServer(database, { role: "worker" })));
    try {
      const made = await Promise.all(["r1", "r2", "r3", "r4"].map(connect));
      for (let round = 0; round < 6; round++) {
        await Promise.all(
          made.map(async ({ repository, connector }, i) => {
            await repository.commit({
              [`templates/r${i + 1}.md`]: templateFile(`r${i + 1}`, `round ${round}`),
            });
            await call(`/v1/connectors/${connector.id}/sync`, "POST");
          }),
        );
        await pause(20);
      }
      await expect
        .poll(
          async () =>
            (await api.platform.db.row<{ count: number }>(
              sql`select count(*) from connector_syncs where status in ('queued', 'running')`,
            ))!.count,
          { timeout: 20_000 },
        )
        .toBe(0);
      expect(most).toBe(1);
      const { items } = (await call("/v1/templates?q=r")).body;
      for (const { id } of items)
        expect((await call(`/v1/templates/${id}`)).body.template.body.trim()).toBe("round 5");
      expect(items).toHaveLength(4);
      for (const { logLines } of replicas)
        expect(logLines.filter((line) => line.includes('"outcome":"succeeded"')).length).toBeGreaterThan(0);
    } finally {
      git.options.intercept = () => false;
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  }, 60_000);

  test("the sync of a dead worker is taken over, and late writes of that worker have no effect", async () => {
    const { repository, connector } = await connect("dead");
    const silent = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    let first = true;
    git.options.intercept = async (request) => {
      if (!first || request.method !== "POST") return false;
      first = false;
      reading.resolve();
      await silent.promise;
      return false;
    };
    const dying = await startServer(database);
    const survivor = await startServer(database);
    try {
      const working = runSyncs(dying);
      // Otherwise the survivor's request could be the one that is never answered.
      await reading.promise;
      expect(await lastSync(connector)).toMatchObject({ status: "running" });
      await runSyncs(survivor);
      expect(await lastSync(connector)).toMatchObject({ status: "running", attempt: 1 });
      const head = await repository.commit({ "templates/dead.md": templateFile("dead", "second") });
      // The lease of a process that died expires, because nobody renews it.
      await api.platform.db.run(
        sql`update connector_syncs set lease_expires_at = now() - interval '1 second' where connector_id = ${connector.id}`,
      );
      await runSyncs(survivor);
      // The first process still runs here and may take its own expired sync. That attempt is the second one, too.
      await expect
        .poll(() => lastSync(connector), { timeout: 10_000 })
        .toMatchObject({ status: "succeeded", attempt: 2, commit: head });
      await repository.commit({ "templates/dead.md": templateFile("dead", "third") });
      silent.resolve();
      await working;
      expect(dying.logLines.some((line) => line.includes('"outcome":"lease_lost"'))).toBe(true);
      expect(await lastSync(connector)).toMatchObject({ status: "succeeded", attempt: 2, commit: head });
      const [template] = (await call(`/v1/templates?connectorId=${connector.id}`)).body.items;
      expect((await call(`/v1/templates/${template.id}`)).body.template.body.trim()).toBe("second");
    } finally {
      git.options.intercept = () => false;
      await Promise.all([dying.close(), survivor.close()]);
    }
  });

  test("a worker that stops returns its syncs at once", async () => {
    const { connector } = await connect("stopped");
    let silent = true;
    git.options.intercept = async (request, response) => {
      if (!silent || request.method !== "POST") return false;
      response.on("close", () => {});
      return new Promise(() => {});
    };
    const stopping = await startServer(database, { role: "worker" });
    await expect.poll(async () => (await lastSync(connector)).status, { timeout: 10_000 }).toBe("running");
    await stopping.platform.jobs.stop(3_000);
    expect(await lastSync(connector)).toMatchObject({ status: "queued", attempt: 0 });
    await stopping.close();
    silent = false;
    await runSyncs(api);
    expect(await lastSync(connector)).toMatchObject({ status: "succeeded", attempt: 1 });
  }, 30_000);

  test("a sync whose worker dies every time is not tried for ever", async () => {
    const { connector } = await connect("cursed");
    await runSyncs(api);
    await api.platform.db.run(sql`
      update connector_syncs set status = 'running', attempt = 5, holder = 'nobody',
        lease_expires_at = now() - interval '1 second', finished_at = null
      where connector_id = ${connector.id}`);
    await runSyncs(api);
    expect(await lastSync(connector)).toMatchObject({ status: "failed", error: { code: "worker_lost" } });
  });
});
