/** Jobs: they commit with their cause, are retried when they fail, and run in processes with the right role. */
import { setTimeout as pause } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Job, job } from "../../src/platform/jobs/index.ts";
import { recordDeath } from "../../src/platform/jobs/store.ts";
import { createDatabase, openTestPlatform, type TestDatabase } from "../harness.ts";

interface Note {
  name: string;
}
const done: { name: string; at: number }[] = [];
const doneNames = () => done.map(({ name }) => name);

const plain = job<Note>({
  name: "test.plain",
  handle: async (_platform, { name }) => void done.push({ name, at: Date.now() }),
});
const flaky = job<Note>({
  name: "test.flaky",
  retries: 3,
  retryDelay: 1,
  async handle(_platform, { name }) {
    done.push({ name, at: Date.now() });
    if (doneNames().filter((one) => one === name).length < 3) throw new Error("not yet");
  },
});
const hopeless = job<Note>({
  name: "test.hopeless",
  retries: 1,
  retryDelay: 1,
  async handle(_platform, { name }) {
    done.push({ name, at: Date.now() });
    throw new Error("never");
  },
});
const poisoned: { name: string; reason: string }[] = [];
let poisonCalls = 0;
const deadly = job<Note>({
  name: "test.deadly",
  retries: 10,
  retryDelay: 1,
  handle: async (_platform, { name }) => void done.push({ name, at: Date.now() }),
  async onPoison(_platform, { name }, reason) {
    // The database may be away at this moment.
    if (++poisonCalls === 1) throw new Error("not recorded");
    poisoned.push({ name, reason });
  },
});
const jobs = [plain, flaky, hopeless, deadly] as readonly Job[];

describe("a job", () => {
  let database: TestDatabase;
  let platform: Awaited<ReturnType<typeof openTestPlatform>>;
  beforeAll(async () => {
    database = await createDatabase();
    platform = await openTestPlatform(database, { jobs, works: true });
    await platform.jobs.work(platform, jobs);
  });
  afterAll(async () => {
    await platform.close(500);
    await database.drop();
  });

  test("runs soon after the transaction that added it", async () => {
    await platform.db.transaction(async (tx) => {
      await platform.jobs.add(tx, plain, { name: "committed" });
      await pause(200);
      expect(doneNames()).not.toContain("committed");
    });
    await expect.poll(doneNames, { timeout: 2_000 }).toContain("committed");
  });

  test("never runs when its transaction was rolled back", async () => {
    const undone = platform.db.transaction(async (tx) => {
      await platform.jobs.add(tx, plain, { name: "rolled back" });
      throw new Error("changed my mind");
    });
    await expect(undone).rejects.toThrow("changed my mind");
    await platform.jobs.add(platform.db, plain, { name: "after it" });
    await expect.poll(doneNames, { timeout: 2_000 }).toContain("after it");
    await pause(300);
    expect(doneNames()).not.toContain("rolled back");
  });

  test("is not delayed when many are added at once", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `many ${i}`);
    await Promise.all(names.map((name) => platform.jobs.add(platform.db, plain, { name })));
    await expect
      .poll(() => names.filter((name) => !doneNames().includes(name)), { timeout: 6_000 })
      .toEqual([]);
  });

  test.concurrent("that fails is tried again after growing pauses", async () => {
    await platform.jobs.add(platform.db, flaky, { name: "flaky" });
    await expect
      .poll(() => doneNames().filter((name) => name === "flaky").length, { timeout: 20_000, interval: 100 })
      .toBe(3);
    const [first, second, third] = done.filter(({ name }) => name === "flaky").map(({ at }) => at);
    expect(second! - first!).toBeGreaterThanOrEqual(900);
    expect(third! - second!).toBeGreaterThanOrEqual(1_900);
    await pause(300);
    expect(doneNames().filter((name) => name === "flaky")).toHaveLength(3);
  }, 40_000);

  test.concurrent("that keeps failing ends after its maximum tries, and does not block other jobs", async () => {
    await platform.jobs.add(platform.db, hopeless, { name: "hopeless" });
    await platform.jobs.add(platform.db, plain, { name: "beside it" });
    await expect.poll(doneNames, { timeout: 2_000 }).toContain("beside it");
    await expect
      .poll(() => doneNames().filter((name) => name === "hopeless").length, { timeout: 15_000 })
      .toBe(2);
    await pause(6_000);
    expect(doneNames().filter((name) => name === "hopeless")).toHaveLength(2);
  }, 40_000);

  test.concurrent("can be delayed", async () => {
    const added = Date.now();
    await platform.jobs.add(platform.db, plain, { name: "later" }, { startAfterSeconds: 1 });
    await expect.poll(doneNames, { timeout: 10_000 }).toContain("later");
    expect(done.find(({ name }) => name === "later")!.at - added).toBeGreaterThanOrEqual(900);
  });

  test("whose worker died once runs again; after the second death it fails with the reason", async () => {
    const { db } = platform;
    const executeSql = (text: string, values?: unknown[]) => db.queryWithDriverTypes(text, values);
    const queue = new PgBoss({ backend: db.kind, db: { executeSql }, supervise: false, schedule: false });
    await queue.start();
    const add = (name: string) => queue.send(deadly.name, { name }, { startAfter: 600 });
    const [once, twice] = [(await add("died once"))!, (await add("died twice"))!];
    // A worker has noted the first death of this job, and died too.
    await recordDeath(db, twice);
    // The state after a process was killed long ago. The queue then detects it.
    await db.queryWithDriverTypes(
      "update pgboss.job set state = 'active', started_on = now() - interval '1 day' where id = any($1::uuid[])",
      [[once, twice]],
    );
    await db.queryWithDriverTypes("update pgboss.queue set monitor_on = null");
    await queue.supervise(deadly.name);
    await db.queryWithDriverTypes("update pgboss.job set start_after = now() where name = $1", [deadly.name]);
    const readJob = async (id: string) => (await queue.findJobs(deadly.name, { id }))[0];
    await expect.poll(async () => (await readJob(twice))?.state, { timeout: 15_000 }).toBe("failed");
    expect(JSON.stringify((await readJob(twice))?.output)).toContain("twice");
    expect(poisonCalls).toBe(2);
    expect(poisoned).toEqual([{ name: "died twice", reason: expect.stringContaining("twice") }]);
    expect(doneNames()).not.toContain("died twice");
    await expect.poll(async () => (await readJob(once))?.state, { timeout: 15_000 }).toBe("completed");
    expect(doneNames()).toContain("died once");
    await queue.stop({ graceful: false });
  }, 60_000);
});
