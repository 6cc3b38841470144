import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { insertWorkers, startBeating } from "./beating-workers.ts";
import {
  type Bench,
  type Child,
  cpuMicroseconds,
  createCaller,
  type Figure,
  listEngines,
  readCpuTime,
  startChild,
  withInstance,
} from "./measure.ts";
import { isPgbenchInstalled } from "./peers/pgbench.ts";

const run = promisify(execFile);
const workerCount = Number(process.env.BENCH_WORKERS ?? 10_000);
const minutes = Number(process.env.BENCH_MINUTES ?? 2);
const intervalMs = 15_000;
/** How long the idle instance and pgbench are measured. */
const besideSeconds = Math.min(30, Math.max(5, minutes * 15));

/** What a database did between two moments. */
interface Cost {
  walBytes: number;
  transactions: number;
  /** Milliseconds in which its statements ran. */
  activeMs: number;
  databaseCpu: number;
  productCpu: number;
}

/**
 * Workers that each beat every 15 s over HTTP, beside pgbench that updates one row of a table of the same shape at the
 * same rate. What the idle instance costs is subtracted. BENCH_WORKERS and BENCH_MINUTES change the size. WAL is that of
 * the whole PostgreSQL server, so nothing else may use the server.
 */
export const workers: Bench = async ({ logProgress }) => {
  if (!(await listEngines({ logProgress })).includes("postgres")) return [];
  return withInstance("postgres", async (place) => {
    const product = await startChild("bench/product.ts", place);
    const client = new pg.Client({ connectionString: place.env.DATABASE_URL! });
    await client.connect();
    try {
      await createCaller(product.url);
      const { rows } = await client.query("select id from organizations limit 1");
      const fleet = await insertWorkers(client, rows[0].id, workerCount);
      const measure = openMeter(client, product);

      logProgress(`the idle instance for ${besideSeconds} s`);
      const idle = scale(await measure(() => sleep(besideSeconds * 1000)), (minutes * 60) / besideSeconds);
      logProgress(`${workerCount} workers, each beats every 15 s: one round to warm up`);
      const beating = startBeating(product.url, fleet, intervalMs);
      await sleep(intervalMs + 2_000);
      await client.query("checkpoint");
      // The first write to a page after a checkpoint logs the whole page, so one round more is not measured.
      await sleep(intervalMs);
      logProgress(`measuring for ${minutes} min`);
      const answeredBefore = beating.counts.answered;
      const busy = await measure(() => sleep(minutes * 60_000));
      const beats = beating.counts.answered - answeredBefore;
      await beating.stop();
      if (beating.counts.failed > 0) throw new Error(`${beating.counts.failed} heartbeats failed.`);

      const cost = subtract(busy, idle);
      // Otherwise the product would record that its workers are stale.
      await product.stop();
      const peer = (await isPgbenchInstalled())
        ? await measurePeer(client, measure, place, workerCount / (intervalMs / 1000), logProgress)
        : [];
      return [
        { name: "heartbeats answered", value: beats / (minutes * 60), unit: "beats/s" },
        { name: "WAL of a beat", value: cost.walBytes / beats, unit: "bytes", promise: { atMost: 150 } },
        {
          name: "database time of a beat",
          value: (cost.activeMs * 1000) / beats,
          unit: "µs",
          promise: { atMost: 20 },
        },
        { name: "statements of a beat", value: cost.transactions / beats, unit: "" },
        { name: "CPU of PostgreSQL, each beat", value: cost.databaseCpu / beats, unit: "µs" },
        { name: "CPU of the product, each beat", value: cost.productCpu / beats, unit: "µs" },
        { name: "WAL of the idle instance", value: idle.walBytes / (minutes * 60), unit: "bytes/s" },
        ...peer,
      ];
    } finally {
      await client.end();
      await product.stop();
    }
  });
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const subtract = (a: Cost, b: Cost): Cost => combine(a, b, (x, y) => Math.max(0, x - y));
const scale = (a: Cost, factor: number): Cost => combine(a, a, (x) => x * factor);
const combine = (a: Cost, b: Cost, work: (x: number, y: number) => number): Cost => ({
  walBytes: work(a.walBytes, b.walBytes),
  transactions: work(a.transactions, b.transactions),
  activeMs: work(a.activeMs, b.activeMs),
  databaseCpu: work(a.databaseCpu, b.databaseCpu),
  productCpu: work(a.productCpu, b.productCpu),
});

/** Statistics of a backend appear a second after it is idle, and at the latest after a minute. */
const statisticsMs = 2_000;

function openMeter(client: pg.Client, product: Child) {
  const read = async (): Promise<Cost & { pids: Map<number, number> }> => {
    await sleep(statisticsMs);
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query(`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, xact_commit::float8 as transactions, active_time
      from pg_stat_database where datname = current_database()`);
    const backends = await client.query(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const pids = new Map<number, number>(backends.rows.map(({ pid }) => [pid, readCpuTime(pid) || 0]));
    return {
      ...{ walBytes: rows[0].wal, transactions: rows[0].transactions, activeMs: rows[0].active_time, pids },
      databaseCpu: 0,
      productCpu: cpuMicroseconds(product),
    };
  };
  return async (work: () => Promise<unknown>): Promise<Cost> => {
    const before = await read();
    await work();
    const after = await read();
    // Backends that were opened in between count from their beginning.
    const databaseCpu = [...after.pids].reduce(
      (sum, [pid, cpu]) => sum + cpu - (before.pids.get(pid) ?? 0),
      0,
    );
    return { ...combine(after, before, (x, y) => x - y), databaseCpu };
  };
}

/** One row a transaction, in a table of the same shape, at the same rate. */
async function measurePeer(
  client: pg.Client,
  measure: ReturnType<typeof openMeter>,
  { folder, env }: { folder: string; env: Record<string, string> },
  rate: number,
  logProgress: (text: string) => void,
): Promise<Figure[]> {
  logProgress(`pgbench for ${besideSeconds} s`);
  await client.query("create table pgbench_beats (like worker_beats including all) with (fillfactor = 50)");
  await client.query("alter table pgbench_beats add column n int");
  await client.query(
    "insert into pgbench_beats (worker_id, n) select worker_id, row_number() over () from worker_beats",
  );
  await client.query("create unique index on pgbench_beats (n)");
  await client.query("vacuum (freeze, analyze) pgbench_beats");
  const script = join(folder, "beat.sql");
  writeFileSync(
    script,
    `\\set n random(1, ${workerCount})
update pgbench_beats set seen_at = greatest(seen_at, now()), sequence = sequence + 1 where n = :n;
`,
  );
  let updates = 0;
  const pgbench = async () => {
    const args = ["-n", "-M", "prepared", "-c", "10", "-j", "2", "-T", String(besideSeconds)];
    const { stdout } = await run("pgbench", [...args, "-R", String(rate), "-f", script, env.DATABASE_URL!]);
    updates += Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1]);
  };
  // The first seconds log whole pages.
  await pgbench();
  updates = 0;
  const cost = await measure(pgbench);
  return [
    { name: "pgbench, one row: WAL of an update", value: cost.walBytes / updates, unit: "bytes" },
    { name: "pgbench, one row: database time", value: (cost.activeMs * 1000) / updates, unit: "µs" },
    { name: "pgbench, one row: statements", value: cost.transactions / updates, unit: "" },
  ];
}
