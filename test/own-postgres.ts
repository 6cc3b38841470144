/** PostgreSQL servers and poolers of a test's own, which it may kill. They refuse to run as root, so root lends a user. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./process/kit.ts";

const run = promisify(execFile);
const isRoot = userInfo().uid === 0;
/** The user in the database. */
const user = "signalbox";

/** Where PostgreSQL's own programs are, if they are. */
export function findPostgresPrograms(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort() : [];
  return versions
    .map((version) => join(root, version, "bin"))
    .findLast((bin) => existsSync(join(bin, "initdb")));
}

export const findPgBouncer = (): string | undefined =>
  ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) => existsSync(path));

const asUser = (program: string, args: string[]): [string, string[]] =>
  isRoot ? ["runuser", ["-u", "postgres", "--", program, ...args]] : [program, args];

async function createFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-postgres-"));
  if (isRoot) await run("chown", ["postgres", folder]);
  return folder;
}

/** Runs a program until `kill`. Its children end with it: they notice that it is gone. */
function start(program: string, args: string[], cwd: string): ChildProcess {
  return spawn(...asUser(program, args), { cwd, stdio: "ignore" });
}

async function waitUntilReachable(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select 1");
      return;
    } catch (error) {
      if (tries > 600) throw error;
      await pause(100);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

export interface OwnPostgres {
  url: string;
  port: string;
  /** Runs a statement as the owner of everything. */
  query(text: string): Promise<pg.QueryResult>;
  /** SIGKILL to all of its processes, as a machine that loses its power. */
  kill(): Promise<void>;
  /** SIGSTOP to all of its processes, as a machine that hangs: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  /** Lets frozen processes go on. */
  thaw(): Promise<void>;
  start(): Promise<void>;
  restart(mode: "fast" | "immediate"): Promise<void>;
  promote(): Promise<void>;
  remove(): Promise<void>;
}

async function open(bin: string, folder: string, settings: Record<string, string>): Promise<OwnPostgres> {
  const data = join(folder, "data");
  const port = await freePort();
  const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const control = (...args: string[]) => run(...asUser(join(bin, "pg_ctl"), ["-D", data, ...args]));
  /** The postmaster gets it first, so that it starts nothing again. */
  async function signal(name: "KILL" | "STOP" | "CONT"): Promise<void> {
    const { stdout } = await run("head", ["-1", join(data, "postmaster.pid")]);
    const { stdout: children } = await run("pgrep", ["-P", stdout.trim()]).catch(() => ({ stdout: "" }));
    for (const pid of [stdout, ...children.split("\n")])
      if (pid.trim()) await run("kill", [`-${name}`, pid.trim()]).catch(() => {});
  }
  let started: ChildProcess | undefined;
  /** `runuser` stops itself with the server, and would wait for ever. */
  const wakeStarter = () => started?.kill("SIGCONT");
  const postgres: OwnPostgres = {
    url,
    port,
    async query(text) {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => {});
      await client.connect();
      return client.query(text).finally(() => client.end());
    },
    kill: () => signal("KILL"),
    freeze: () => signal("STOP"),
    async thaw() {
      await signal("CONT");
      wakeStarter();
    },
    async start() {
      started = start(
        join(bin, "postgres"),
        ["-D", data, "-p", port, "-k", folder, "-h", "127.0.0.1", ...options],
        folder,
      );
      await waitUntilReachable(url);
    },
    async restart(mode) {
      await control("-m", mode, "-w", "stop");
      await pause(300);
      await postgres.start();
    },
    promote: async () => void (await control("-w", "promote")),
    async remove() {
      await control("-m", "immediate", "-w", "stop").catch(() => {});
      wakeStarter();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await postgres.start();
  return postgres;
}

/** A new server. */
export async function createPostgres(
  bin: string,
  settings: Record<string, string> = {},
): Promise<OwnPostgres> {
  const folder = await createFolder();
  await run(...asUser(join(bin, "initdb"), ["-D", join(folder, "data"), "-A", "trust", "-U", user]));
  return open(bin, folder, settings);
}

/** A standby that receives everything that `primary` writes. `name` is its name for synchronous replication. */
export async function createStandby(bin: string, primary: OwnPostgres, name: string): Promise<OwnPostgres> {
  const folder = await createFolder();
  const from = `host=127.0.0.1 port=${primary.port} user=${user} application_name=${name}`;
  await run(
    ...asUser(join(bin, "pg_basebackup"), [
      "-d",
      from,
      "-D",
      join(folder, "data"),
      "-R",
      "-X",
      "stream",
      "-c",
      "fast",
    ]),
  );
  return open(bin, folder, {});
}

export interface OwnPgBouncer {
  url: string;
  remove(): Promise<void>;
}

/** PgBouncer in front of a server. */
export async function createPgBouncer(
  program: string,
  postgres: { host: string; port: string; user: string },
  mode: "transaction" | "session",
): Promise<OwnPgBouncer> {
  const folder = await createFolder();
  const port = await freePort();
  const users = join(folder, "users.txt");
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(users, `"${postgres.user}" ""\n`, { mode: 0o644 });
  writeFileSync(
    config,
    `[databases]
* = host=${postgres.host} port=${postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 10
max_client_conn = 500
`,
    { mode: 0o644 },
  );
  const child = start(program, [config], folder);
  const ended = once(child, "exit");
  const url = `postgres://${postgres.user}@127.0.0.1:${port}`;
  await waitUntilReachable(`${url}/postgres`);
  return {
    url,
    async remove() {
      const { stdout } = await run("pgrep", ["-f", config]);
      for (const pid of stdout.split("\n")) if (pid) await run("kill", [pid]).catch(() => {});
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
