/** Repositories that are as expensive as possible: the process survives, keeps answering, and reports the problem. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createConnector, runSyncs } from "../../../../test/connectors.ts";
import {
  commitFolder,
  createHostileRepository,
  emptyPackets,
  type HostileRepository,
  type HostileServer,
  serveHostileRepository,
} from "../../../../test/fixtures/hostile-repository.ts";
import { createWorkspace, useServer, type Workspace } from "../../../../test/harness.ts";

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
async function connect(repository: HostileRepository, answer?: Buffer) {
  const host = await serveHostileRepository(repository, answer ? { answer } : {});
  served.push(host);
  const connector = await createConnector(server, acme.owner.auth, { cloneUrl: host.url });
  return { host, connector };
}

interface Watched {
  /** The longest time that this thread computed without running a timer, in milliseconds. */
  stallMs: number;
  /** The largest growth of memory during the work, in MiB. */
  grownMb: number;
}

/**
 * Runs `work` while a timer ticks in this thread. Stalls are measured in the thread's own CPU time, so that a busy
 * machine does not count as a stall.
 */
async function watch(work: () => Promise<unknown>): Promise<Watched> {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const before = process.memoryUsage.rss();
  let most = before;
  let stallMs = 0;
  let at = used();
  const look = () => {
    const now = used();
    stallMs = Math.max(stallMs, now - at);
    at = now;
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 5);
  try {
    await work();
  } finally {
    look();
    clearInterval(timer);
  }
  return { stallMs, grownMb: (most - before) / 1024 / 1024 };
}

/** The embedded engine runs in this thread. Its longest statement writes a body of 256 KiB. */
const tolerableMs = 500;
const tolerableMb = 500;

async function syncWatched(what: string, repository: HostileRepository, answer?: Buffer) {
  const { host, connector } = await connect(repository, answer);
  const started = performance.now();
  const { stallMs, grownMb } = await watch(() => runSyncs(server));
  const seconds = (performance.now() - started) / 1000;
  const sync = await lastSync(connector.id);
  console.log(
    `${server.platform.db.kind}: ${what}: ${sync.status} ${sync.error?.code ?? ""} in ${seconds.toFixed(1)} s, stall ${Math.round(stallMs)} ms, ${Math.round(grownMb)} MiB more`,
  );
  expect(stallMs).toBeLessThan(tolerableMs);
  expect(grownMb).toBeLessThan(tolerableMb);
  expect(host.fetches).toBeGreaterThan(0);
  return sync;
}

/** YAML that takes long to parse for its size. */
const slowYaml = `---\nname: Slow\n${Array.from({ length: 600 }, (_, i) => `k${i}: [${i}]\n`).join("")}---\nbody\n`;

describe("a hostile repository", { timeout: 120_000 }, () => {
  test("with 500 folders that share one tree with a file name of 8 MiB is refused quickly", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from("x"));
    const name = Buffer.alloc(8 * 1024 * 1024 - 1_000, "n");
    const heavy = repository.tree([{ mode: "100644", name, id: blob }]);
    const folders = Array.from({ length: 500 }, (_, i) => ({
      mode: "40000" as const,
      name: `f${String(i).padStart(3, "0")}`,
      id: heavy,
    }));
    commitFolder(repository, repository.tree(folders));
    const sync = await syncWatched("500 × a name of 8 MiB", repository);
    expect(sync).toMatchObject({ status: "failed", error: { code: "too_large", retryable: false } });
  });

  test("more problems than are shown are counted, and the shown ones are short", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from("x"));
    const names = Array.from(
      { length: 3_000 },
      (_, i) => `${String(i).padStart(4, "0")}${"é".repeat(600)}.md`,
    );
    commitFolder(repository, repository.tree(names.map((name) => ({ mode: "100644", name, id: blob }))));
    const sync = await syncWatched("3,000 names that are too long", repository);
    expect(sync).toMatchObject({ status: "succeeded", problemCount: 3_000 });
    expect(sync.problems.length).toBeGreaterThan(0);
    expect(sync.problems.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(sync.problems).length).toBeLessThan(200_000);
  });

  test("with 1,000 files that share one blob of slow YAML is read within the limits", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from(slowYaml));
    const names = Array.from({ length: 1_000 }, (_, i) => `f${i}.md`).sort();
    commitFolder(repository, repository.tree(names.map((name) => ({ mode: "100644", name, id: blob }))));
    const sync = await syncWatched("1,000 files of one YAML", repository);
    expect(sync).toMatchObject({ status: "succeeded", changes: { added: 1_000 } });
  });

  test("with 9,000 readmes that share 512 KiB is read within the limits", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.alloc(512 * 1024, "about "));
    const folders = Array.from({ length: 9_000 }, (_, i) => `d${i}`).sort();
    const inner = repository.tree([{ mode: "100644", name: "readme.md", id: blob }]);
    commitFolder(repository, repository.tree(folders.map((name) => ({ mode: "40000", name, id: inner }))));
    const sync = await syncWatched("9,000 readmes of 512 KiB", repository);
    expect(sync).toMatchObject({ status: "succeeded", changes: { added: 0 }, problemCount: 0 });
  });

  test("with a folder of 100,000 entries is handled within the limits", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from("x"));
    const names = Array.from({ length: 100_000 }, (_, i) => `e${String(i).padStart(6, "0")}.txt`);
    commitFolder(repository, repository.tree(names.map((name) => ({ mode: "100644", name, id: blob }))));
    const sync = await syncWatched("100,000 entries", repository);
    expect(sync).toMatchObject({ status: "succeeded", problemCount: 0 });
  });

  test("with a folder that is too large to be read is refused as too large", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from("x"));
    const names = Array.from({ length: 300_000 }, (_, i) => `e${String(i).padStart(6, "0")}.txt`);
    commitFolder(repository, repository.tree(names.map((name) => ({ mode: "100644", name, id: blob }))));
    const sync = await syncWatched("300,000 entries", repository);
    expect(sync).toMatchObject({ status: "failed", error: { code: "too_large", retryable: false } });
  });

  test("with 13.6 million empty packets in a small compressed reply is refused", async () => {
    const repository = createHostileRepository();
    commitFolder(repository, repository.tree([]));
    const answer = emptyPackets(13_600_000);
    expect(answer.length).toBeLessThan(150_000);
    const sync = await syncWatched("13.6 million empty packets", repository, answer);
    expect(sync).toMatchObject({ status: "failed", error: { code: "too_large", retryable: false } });
  });

  test("with 3,000 folders on a chain of 490 deltas is handled within the limits", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from("x"));
    const createTreeData = (i: number) =>
      Buffer.concat([Buffer.from(`100644 t${String(i).padStart(5, "0")}.txt\0`), Buffer.from(blob, "hex")]);
    let base = { id: repository.add("tree", createTreeData(0)), size: createTreeData(0).length };
    for (let i = 1; i < 490; i++)
      base = { id: repository.addDelta("tree", base, createTreeData(i)), size: createTreeData(i).length };
    const folders = Array.from({ length: 3_000 }, (_, i) => ({
      mode: "40000" as const,
      name: `d${String(i).padStart(4, "0")}`,
      id: repository.addDelta("tree", base, createTreeData(1_000 + i)),
    }));
    commitFolder(repository, repository.tree(folders));
    const sync = await syncWatched("3,000 folders on 490 deltas", repository);
    expect(sync).toMatchObject({ status: "succeeded", problemCount: 0 });
  });

  test("with 55 MB of templates is stored without blocking other requests", async () => {
    const repository = createHostileRepository();
    const names = Array.from({ length: 230 }, (_, i) => `t${String(i).padStart(3, "0")}.md`);
    const entries = names.map((name, i) => {
      const body = `${i} ${"lorem ipsum ".repeat(20_000)}`;
      return {
        mode: "100644" as const,
        name,
        id: repository.add("blob", Buffer.from(`---\nname: T${i}\n---\n${body}`)),
      };
    });
    commitFolder(repository, repository.tree(entries));
    const sync = await syncWatched("55 MB of templates", repository);
    expect(sync).toMatchObject({ status: "succeeded", changes: { added: 230 } });
  });

  test("can be tested without blocking other requests", async () => {
    const repository = createHostileRepository();
    const blob = repository.add("blob", Buffer.from(slowYaml));
    const names = Array.from({ length: 200 }, (_, i) => `f${i}.md`).sort();
    commitFolder(repository, repository.tree(names.map((name) => ({ mode: "100644", name, id: blob }))));
    const { connector } = await connect(repository);
    await runSyncs(server);
    let reply: Awaited<ReturnType<typeof call>> | undefined;
    const { stallMs } = await watch(async () => {
      reply = await call(`/v1/connectors/${connector.id}/test`, "POST");
    });
    expect(reply!.body.test).toMatchObject({ ok: true, templateCount: 200 });
    expect(stallMs).toBeLessThan(tolerableMs);
  });
});
