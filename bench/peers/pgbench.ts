import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { storedEvent } from "../reporters.ts";

const run = promisify(execFile);

/** Where pgbench is, if it is. */
export const isPgbenchInstalled = (): Promise<boolean> =>
  run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );

/**
 * The rows of run events: the same row as ours, into a table with the same columns, the same key and the same
 * partitions. All rows belong to runs of this week, as ours do.
 */
export const openPgbench = (url: string, folder: string, connections: number) =>
  openInserts(url, folder, connections, {
    table: `create table pgbench_events (like automation_events including all) partition by range (run_no);
      do $$
      declare part record;
      begin
        for part in select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i
          join pg_class c on c.oid = i.inhrelid where i.inhparent = 'automation_events'::regclass loop
          execute format('create table %I partition of pgbench_events %s', 'pgbench_' || part.relname, part.bound);
        end loop;
      end $$`,
    first: "select run_number_at(now()) as first",
    script: `\\set n :n + 1
\\set no :first + :turn * 1000 + :client_id
insert into pgbench_events (run_no, org_id, attempt, previous_sequence, last_sequence, is_terminal, events)
values (:no, 'org_01jz8q2d9xf4vvh0tbq8k3m5na', 1, :n - 1, :n, false, '${storedEvent}');
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
 * same shape, over as many connections as the product's pool has. The script can use the number that `first` selects.
 */
async function openInserts(
  url: string,
  folder: string,
  connections: number,
  { table, first, script: text }: { table: string; first?: string; script: string },
) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(table);
  const firstNumber = first ? (await client.query<{ first: string }>(first)).rows[0]!.first : "0";
  await client.end();
  const script = join(folder, "insert.sql");
  writeFileSync(script, text);
  let turn = 0;
  /** Rows per second. */
  return async (seconds: number): Promise<number> => {
    turn++;
    // pgbench counts whole seconds.
    const length = seconds < 1 ? ["-t", "10"] : ["-T", String(Math.round(seconds))];
    const args = ["-n", "-M", "prepared", "-c", String(connections), "-j", "2", ...length];
    const variables = ["-D", "n=0", "-D", `turn=${turn}`, "-D", `first=${firstNumber}`];
    const { stdout } = await run("pgbench", [...args, ...variables, "-f", script, url]);
    const tps = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)?.[1];
    if (!tps) throw new Error(`pgbench said: ${stdout}`);
    return Number(tps);
  };
}
