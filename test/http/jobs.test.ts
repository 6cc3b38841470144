/** Jobs: they commit with their cause, are retried when they fail, and run in processes with the right role. */
import { setTimeout as pause } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobs as productJobs } from "../../src/app.ts";
import { sql } from "../../src/platform/db/index.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Job, job } from "../../src/platform/jobs/index.ts";
import { prepareConditions, recordDeath } from "../../src/platform/jobs/store.ts";
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
const always = job({
  name: "test.every-second",
  everySeconds: 1,
  handle: async () => void done.push({ name: "every second", at: Date.now() }),
});
/** Runs when an organization with this name exists. */
const conditional = job({
  name: "test.conditional",
  everySeconds: 1,
  isDue: sql`exists (select from organizations where name = 'Due')`,
  handle: async () => void done.push({ name: "conditional", at: Date.now() }),
});
let fails = false;
const failing = job({
  name: "test.failing",
  everySeconds: 1,
  handle: async () => {
    if (fails) throw new Error("not now");
  },
});
const jobs = [plain, flaky, hopeless, deadly, always, conditional, failing] as readonly Job[];

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

  test("with a condition runs once after the start, and then only while it is true", async () => {
    const count = (wanted: string) => doneNames().filter((name) => name === wanted).length;
    await expect.poll(() => count("every second"), { timeout: 20_000 }).toBeGreaterThan(2);
    expect(count("conditional")).toBe(1);
    const id = newId("org");
    await platform.db.run(sql`insert into organizations (id, name, slug) values (${id}, 'Due', 'due')`);
    await expect.poll(() => count("conditional"), { timeout: 20_000 }).toBeGreaterThan(2);
    await platform.db.run(sql`delete from organizations where id = ${id}`);
    // A check that began before may still be under way.
    await pause(1_000);
    const [runs, seconds] = [count("conditional"), count("every second")];
    await expect.poll(() => count("every second"), { timeout: 20_000 }).toBeGreaterThan(seconds + 2);
    expect(count("conditional")).toBe(runs);
  }, 90_000);

  test("that runs every second is shown as failing until it succeeds", async () => {
    const readFailing = () =>
      /^job_failing\{job="test\.failing"\} (\d)$/m.exec(platform.metrics.render())?.[1];
    fails = true;
    await expect.poll(readFailing, { timeout: 20_000 }).toBe("1");
    fails = false;
    await expect.poll(readFailing, { timeout: 20_000 }).toBe("0");
  }, 60_000);

  test("of the product has nothing to do in an empty database", async () => {
    expect(await prepareConditions(platform.db, productJobs)()).toEqual([]);
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
