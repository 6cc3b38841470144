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

/** The rows of run events. */
export const openPgbench = (url: string, folder: string, connections: number) =>
  openInserts(url, folder, connections, {
    table: "create table pgbench_events (like automation_events including all)",
    script: `\\set n :n + 1
insert into pgbench_events (run_no, attempt, sequence, type, created_at, payload)
values (:turn * 1000 + :client_id, 1, :n, 'assistant', 1700000000000, '${payload}');
`,
  });

/** The rows of telemetry, with the same keys and indexes. */
export const openTelemetryPgbench = (url: string, folder: string, connections: number) =>
  openInserts(url, folder, connections, {
    table: "create table pgbench_telemetry (like telemetry_events including all)",
    script: `\\set n :n + 1
insert into pgbench_telemetry (org_id, id, signal, event_id, digest, at, type, source, mapping_version, model,
  input_tokens, output_tokens, cost_micros, pricing, counts_usage, failed, attributes)
values ('org_01jz8q2d9xf4vvh0tbq8k3m5na', 'tev_' || :turn || '_' || :client_id || '_' || :n, 'event',
  gen_random_uuid()::text, '\\x00112233445566778899aabbccddeeff', now(), 'model_call', 'other', 1,
  'claude-sonnet-4-5', 1200, 340, 8700, 'reported', true, false, '{"service.name":"bench"}');
`,
  });

/**
 * PostgreSQL itself, with nothing before it: pgbench inserts one row a transaction into a table of the
 * same shape, over as many connections as the product's pool has.
 */
async function openInserts(
  url: string,
  folder: string,
  connections: number,
  { table, script: text }: { table: string; script: string },
) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(table);
  await client.end();
  const script = join(folder, "insert.sql");
  writeFileSync(script, text);
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
