import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { payload } from "../reporters.ts";

const run = promisify(execFile);

/** Where pgbench is, if it is. */
export const isPgbenchInstalled = (): Promise<boolean> =>
  run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );

/**
 * PostgreSQL itself, with nothing before it: pgbench inserts one row a transaction into a table of the
 * same shape as the events', over as many connections as the product's pool has.
 */
export async function openPgbench(url: string, folder: string, connections: number) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create table pgbench_events (like automation_events including all)");
  await client.end();
  const script = join(folder, "insert.sql");
  writeFileSync(
    script,
    `\\set n :n + 1
insert into pgbench_events (run_no, attempt, sequence, type, created_at, payload)
values (:turn * 1000 + :client_id, 1, :n, 'assistant', 1700000000000, '${payload}');
`,
  );
  let turn = 0;
  /** Rows per second. */
  return async (seconds: number): Promise<number> => {
    turn++;
    const args = ["-n", "-M", "prepared", "-c", String(connections), "-j", "2", "-T", String(seconds)];
    const variables = ["-D", "n=0", "-D", `turn=${turn}`];
    const { stdout } = await run("pgbench", [...args, ...variables, "-f", script, url]);
    const tps = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)?.[1];
    if (!tps) throw new Error(`pgbench said: ${stdout}`);
    return Number(tps);
  };
}
