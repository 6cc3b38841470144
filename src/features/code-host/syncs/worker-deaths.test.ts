import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createConnector, runSyncs, sweepConnector } from "../../../../test/connectors.ts";
import {
  commitFolder,
  createHostileRepository,
  type HostileRepository,
  type HostileServer,
  serveHostileRepository,
} from "../../../../test/fixtures/hostile-repository.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";
import { sql } from "../../../platform/db/index.ts";

const server = useServer();
let acme: Workspace;
beforeEach(async () => {
  acme = await createWorkspace(server);
});
const served: HostileServer[] = [];
afterAll(() => Promise.all(served.map((one) => one.close())));

const call = (path: string, method = "GET") => server.call(path, { method, headers: acme.owner.auth });
const lastSync = async (connectorId: string) =>
  (await call(`/v1/connector-syncs?connectorId=${connectorId}&limit=1`)).body.items[0];

/** Connects the repository without syncing it. */
async function connect(repository: HostileRepository) {
  const host = await serveHostileRepository(repository);
  served.push(host);
  const connector = await createConnector(server, acme.owner.auth, { cloneUrl: host.url });
  return { host, connector };
}

describe("a sync whose worker died", { timeout: 60_000 }, () => {
  let repository: HostileRepository;
  beforeAll(() => {
    repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from("---\nname: A\n---\nbody"));
    commitFolder(repository, repository.tree([{ mode: "100644", name: "a.md", id: blob }]));
  });

  /** Leaves a sync as if its processes were killed while they read this head. */
  async function died(deaths: number, commit: string | null) {
    const { host, connector } = await connect(repository);
    await runSyncs(server);
    await server.platform.db.run(sql`
      update connectors set synced_commit = null where id = ${connector.id}`);
    await server.platform.db.run(sql`
      update connector_syncs set status = 'running', attempt = ${deaths}, worker_deaths = ${deaths - 1},
        holder = 'killed', commit_sha = ${commit}, lease_expires_at = now() - interval '1 second', finished_at = null
      where connector_id = ${connector.id}`);
    return { host, connector };
  }

  test("once is taken over by another worker", async () => {
    const { connector } = await died(1, repository.head);
    await runSyncs(server);
    expect(await lastSync(connector.id)).toMatchObject({ status: "succeeded", attempt: 2 });
  });

  test.each([
    ["while it read the head", () => repository.head],
    ["before it knew the head", () => null],
  ])("twice, %s, fails with the reason and is not repeated until a person retries it", async (_, commit) => {
    const { host, connector } = await died(2, commit());
    const { fetches } = host;
    await runSyncs(server);
    const failed = await lastSync(connector.id);
    expect(failed).toMatchObject({
      status: "failed",
      commit: commit(),
      error: { code: "worker_lost", retryable: false, message: expect.stringContaining("2 times") },
    });
    expect(host.fetches).toBe(fetches);
    await sweepConnector(server, connector.id);
    await runSyncs(server);
    expect((await call(`/v1/connector-syncs?connectorId=${connector.id}`)).body.items).toHaveLength(1);
    expect((await call(`/v1/connector-syncs/${failed.id}/retry`, "POST")).status).toBe(202);
    await runSyncs(server);
    expect(await lastSync(connector.id)).toMatchObject({ id: failed.id, status: "succeeded" });
  });

  test("the head is recorded before its content is read, so that it is known when the worker dies", async () => {
    const { head } = repository;
    const host = await serveHostileRepository({
      head,
      pack() {
        throw new Error("The server ends the connection.");
      },
    });
    served.push(host);
    const connector = await createConnector(server, acme.owner.auth, { cloneUrl: host.url });
    const working = runSyncs(server);
    await expect
      .poll(
        async () =>
          (await server.platform.db.row<{ commit: string | null }>(
            sql`select commit_sha as commit from connector_syncs where connector_id = ${connector.id}`,
          ))!.commit,
        { timeout: 10_000 },
      )
      .toBe(repository.head);
    await working;
    expect(host.fetches).toBeGreaterThan(0);
  });
});
