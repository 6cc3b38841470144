import { setTimeout as sleep } from "node:timers/promises";
import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import type { Job, Jobs, Platform } from "../context.ts";
import { type Db, runExclusively } from "../db/index.ts";
import { createLog, type Log } from "../log.ts";
import * as store from "./store.ts";

export type { Job, Jobs } from "../context.ts";
export { removeOldDeaths } from "./store.ts";

export function job<Data extends object>(definition: Job<Data>): Job<Data> {
  return definition;
}

export interface JobsOptions {
  db: Db;
  log: Log;
  definitions: readonly Job[];
  /** False where another process does the work: then nothing is polled, scheduled or tidied here. */
  works: boolean;
}

interface Ticking extends store.Condition {
  everySeconds: number;
  handle(): Promise<unknown>;
}

/** New jobs are announced. Delayed jobs and retries of all queues are found by one statement. */
const pollSeconds = 5;

/** How often each worker looks by itself. With some sixty workers, this would be most of the work of an idle process. */
const workerPollSeconds = 300;

/** Reads one index entry for each queue, however many jobs wait. */
const queuesWithJobs = `
  select name from unnest($1::text[]) name where exists (
    select from pgboss.job j
    where j.name = name.name and j.state < 'active' and not j.blocked and j.start_after <= now())`;

const maxDeaths = 2;
const poisoned =
  "The process that ran this job ended, or did not finish it in time, twice. The job is not retried automatically: check the log of that time, then start the work again.";

/** The queue itself fails a job whose process has died, with this message. */
const isLeftByDeadWorker = ({ retryCount, output }: JobWithMetadata<unknown>) =>
  retryCount > 0 && (output as { value?: { message?: string } } | null)?.value?.message === "job timed out";

/** The conditions are those of the index by which the queue finds its next job. */
const waitingJobs = `
  select name, count(*) filter (where start_after <= now()) as waiting,
    count(*) filter (where start_after > now()) as delayed,
    floor(extract(epoch from min(greatest(created_on, start_after)) filter (where start_after <= now())) * 1000) as oldest
  from pgboss.job where state < 'active' and not blocked group by name order by name`;

/** Any number, the same in every replica. */
const installKey = 728_331_002;

export async function openJobs({ db, log, definitions, works }: JobsOptions): Promise<Jobs> {
  const boss = new PgBoss({
    backend: db.kind,
    db: {
      executeSql: (text, values) => db.queryWithDriverTypes(text, values),
      listen: async (channel, onNotification, onReconnect) => {
        const unlisten = await db.listen(channel, onNotification, onReconnect);
        onReconnect();
        return { close: unlisten };
      },
    },
    useListenNotify: works,
    schedule: works,
    supervise: works,
    cronMonitorIntervalSeconds: 30,
    cronWorkerIntervalSeconds: 15,
    // For jobs that depend on other jobs. There are none.
    flowIntervalSeconds: 3_600,
  });
  // A short loss of the database is expected. It is logged, and the next poll continues.
  boss.on("error", (error) => log.warn({ err: error }, "job queue"));
  boss.on("warning", (warning) => log.warn({ warning }, "job queue"));
  // Replicas that start at the same time must not both create the tables of the queue.
  await runExclusively(db, installKey, async () => {
    await boss.start();
    const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const definition of definitions) {
      const queue = {
        name: definition.name,
        notify: true,
        retryLimit: definition.retries ?? 5,
        retryDelay: definition.retryDelay ?? 5,
        retryBackoff: true,
        retryDelayMax: 3600,
        expireInSeconds: definition.expireInSeconds ?? 300,
      };
      const found = known.get(definition.name);
      if (!found) await boss.createQueue(definition.name, queue);
      // Only changed queues are written, because most starts change nothing.
      else if (!includes(found, queue)) await boss.updateQueue(definition.name, queue);
    }
  });
  let ready = true;
  const failing = new Set<string>();

  /** Work that is running now, by name. The same work never runs twice at the same time in this process. */
  const underWay = new Map<string, Promise<unknown>>();
  function start(name: string, handle: () => Promise<unknown>): void {
    if (underWay.has(name) || !ready) return;
    const work = handle()
      // A short loss of the database is expected. The next tick continues.
      .catch((error: Error) => log.warn({ job: name, err: error }, "tick failed"))
      .finally(() => underWay.delete(name));
    underWay.set(name, work);
  }

  let clock: NodeJS.Timeout | undefined;
  /** Starts work when its turn comes. One statement reads all conditions, because most of the time none is true. */
  function startClock(kinds: readonly Ticking[]): void {
    const listDue = store.prepareConditions(db, kinds);
    const lastTurns = new Map<Ticking, number>();
    let second = 0;
    clock = setInterval(() => {
      second++;
      start("conditions", async () => {
        const now = second;
        const turn = kinds.filter((kind) => now - (lastTurns.get(kind) ?? 0) >= kind.everySeconds);
        const isKnown = (kind: Ticking) => kind.isDue !== undefined && lastTurns.has(kind);
        const due = turn.some(isKnown) ? await listDue() : [];
        for (const kind of turn) {
          if (!isKnown(kind) || due.includes(kind.name)) start(kind.name, kind.handle);
          lastTurns.set(kind, now);
        }
      });
    }, 1_000);
  }

  async function wakeWorkers(workers: ReadonlyMap<string, string[]>): Promise<void> {
    const { rows } = await db.queryWithDriverTypes(queuesWithJobs, [[...workers.keys()]]);
    for (const { name } of rows) for (const worker of workers.get(name as string)!) boss.notifyWorker(worker);
  }

  return {
    isReady: () => ready,
    async add(on, { name }, data, { startAfterSeconds, priority } = {}) {
      await boss.send(name, data, {
        db: { executeSql: (text, values) => on.queryWithDriverTypes(text, values) },
        ...(startAfterSeconds === undefined ? {} : { startAfter: startAfterSeconds }),
        ...(priority === undefined ? {} : { priority }),
      });
    },
    async countWaiting(on) {
      const { rows } = await on.queryWithDriverTypes(waitingJobs, []);
      return rows.map(({ name, waiting, delayed, oldest }) => ({
        name: String(name),
        waiting: Number(waiting),
        delayed: Number(delayed),
        oldestAt: oldest === null ? null : Number(oldest),
      }));
    },
    async work(platform, kinds) {
      platform.metrics.describe("jobs_poisoned_total", "Jobs given up because their worker died twice.");
      platform.metrics.describe("job_failing", "1 while the last run of that job in this process failed.");
      platform.metrics.gauge(
        "job_failing",
        () => kinds.map(({ name }) => ({ labels: { job: name }, value: Number(failing.has(name)) })),
        "max",
      );
      const workers = new Map<string, string[]>(kinds.map(({ name }) => [name, []]));
      for (const definition of kinds) {
        for (let i = 0; i < (definition.concurrency ?? 1); i++) {
          let worker = "";
          worker = await boss.work(
            definition.name,
            { notifyPollingIntervalSeconds: workerPollSeconds, includeMetadata: true, perJobResults: true },
            async ([next]) => {
              if (!next) return [];
              // More jobs may wait. Without this, each would wait for the next notification or poll.
              boss.notifyWorker(worker);
              return [await settle(platform, definition, next)];
            },
          );
          workers.get(definition.name)!.push(worker);
        }
      }
      const ticking = kinds.flatMap((kind) => {
        const { name, everySeconds, isDue } = kind;
        // `runJob` logs and counts a failure. The job runs again at its next turn.
        const handle = () => runJob(platform, kind, undefined, {}).catch(() => {});
        return everySeconds ? { name, everySeconds, isDue, handle } : [];
      });
      const wake = () => wakeWorkers(workers);
      startClock([...ticking, { name: "wake workers", everySeconds: pollSeconds, handle: wake }]);
      const scheduled = kinds.filter(({ schedule }) => schedule);
      const known = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]));
      for (const { name, schedule } of scheduled) {
        if (known.get(name) !== schedule) await boss.schedule(name, schedule!);
        known.delete(name);
      }
      for (const name of known.keys()) await boss.unschedule(name);
    },
    async stop(timeoutMs) {
      ready = false;
      clearInterval(clock);
      if (underWay.size > 0)
        await Promise.race([Promise.all(underWay.values()), sleep(timeoutMs, undefined, { ref: false })]);
      await boss.stop({ graceful: true, timeout: timeoutMs });
    },
  };

  /** Deaths are also looked up for other retries: `onPoison` may have failed, and then the job must still not run. */
  async function updateDeaths(next: JobWithMetadata<unknown>): Promise<number> {
    if (isLeftByDeadWorker(next)) return store.recordDeath(db, next.id);
    return next.retryCount > 0 ? store.countDeaths(db, next.id) : 0;
  }

  /** Runs a job. A job whose worker died twice fails permanently, with the reason. */
  async function settle(
    platform: Platform,
    definition: Job,
    next: JobWithMetadata<unknown>,
  ): Promise<JobResult> {
    const { id } = next;
    const data = (next.data ?? {}) as object;
    if ((await updateDeaths(next)) >= maxDeaths) {
      log.error({ job: definition.name, id, reason: poisoned }, "job given up");
      failing.add(definition.name);
      platform.metrics.count("jobs_poisoned_total", { job: definition.name });
      await definition.onPoison?.(platform, data, poisoned);
      return { id, status: "deadletter", output: { message: poisoned } };
    }
    await runJob(platform, definition, id, data);
    return { id, status: "completed" };
  }

  async function runJob(platform: Platform, { name, handle }: Job, id: string | undefined, data: object) {
    const started = performance.now();
    const span = platform.trace?.start(`job ${name}`, "consumer");
    let failure: string | undefined;
    try {
      await handle(platform, data);
      failing.delete(name);
    } catch (error) {
      failure = error instanceof Error ? error.name : "unknown";
      failing.add(name);
      log.warn({ job: name, id, err: error }, "job failed");
      throw error;
    } finally {
      const seconds = (performance.now() - started) / 1000;
      const outcome = failure === undefined ? "done" : "failed";
      platform.metrics.time("job_duration_seconds", { job: name, outcome }, seconds);
      span?.end(failure !== undefined, {
        "signalbox.job": name,
        "signalbox.job.id": id,
        "error.type": failure,
      });
    }
  }
}

/**
 * Creates the tables of the queue and its queues. The library uses transactions of its own, so this cannot be a part of
 * another one.
 */
export async function installQueue(db: Db, definitions: readonly Job[]): Promise<void> {
  const jobs = await openJobs({ db, log: createLog("warn"), definitions, works: false });
  await jobs.stop(0);
}

/** True when everything in `part` has the same value in `whole`. */
const includes = (whole: object, part: object): boolean =>
  Object.entries(part).every(([key, value]) => (whole as Record<string, unknown>)[key] === value);
