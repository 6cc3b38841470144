import { availableParallelism } from "node:os";
import { isatty } from "node:tty";
import type { Config } from "../platform/config.ts";
import { createLog, type Log } from "../platform/log.ts";
import { isChild, joinPrimary, runPrimary } from "../platform/processes/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { listenWithoutServing } from "./bind.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox serve [--role all|api|worker]

Runs the service until SIGINT or SIGTERM. Then it finishes the requests in progress and ends with 0, within 10 s.
A second signal ends it at once. Prints one line with its URL when it is ready. The log goes to stderr: lines for
people on a terminal, else one JSON object per line (LOG_FORMAT=pretty or LOG_FORMAT=json sets this).

On a PostgreSQL server it uses every core: one process for each, and a primary process that starts another one for
each that ends. SIGHUP replaces them one after the other, without a refused request. PROCESSES sets their number.

Options:
  --role all      everything in one process (the default)
  --role api      answers requests; jobs are left to workers
  --role worker   does the jobs; answers only /health, /ready, /version and /metrics
                  (api and worker need DATABASE_URL: the embedded database has one process)

Settings (environment, or .env): HOST, PORT, PUBLIC_URL, DATABASE_URL, PROCESSES, DATA_DIR, SIGNALBOX_SECRET, …
All of them: docs/configuration.md

Examples:
  signalbox serve
  PORT=0 DATA_DIR=/var/lib/signalbox signalbox serve
  DATABASE_URL=postgres://… SIGNALBOX_SECRET=… signalbox serve --role worker
`;

const roles = ["all", "api", "worker"] as const;

export async function serve(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, { help, options: { role: { type: "string", default: "all" } } });
  const role = roles.find((one) => one === values.role);
  if (!role) throw new UsageError(`--role must be one of ${roles.join(", ")}.`);
  const config = io.config();
  if (role !== "all" && !config.databaseUrl) {
    throw new UsageError(`--role ${role} needs DATABASE_URL: the embedded database has one process.`);
  }
  const link = isChild() ? await joinPrimary() : undefined;
  const count = link?.count ?? (await chooseCount(config));
  const process = link?.number ?? (count > 1 ? 0 : undefined);
  const log = createLog(config.logLevel, { format: config.logFormat, process });
  endOnFaults(log);
  if (count > 1 && !link) return servePrimary(count, io, log);
  const signal = link ? io.signal : AbortSignal.any([io.signal, ignoreHangUp(log)]);
  const { serveProcess } = await import("./serve-process.ts");
  return serveProcess({ config, role, log, io: { ...io, signal }, link });
}

/** Connections that a process opens when there are many processes: 4 for requests, 2 for jobs, 2 to listen. */
const connectionsPerProcess = 8;

/** One process for each core, but not more than the database has connections for. */
async function chooseCount({ databaseUrl, databaseDirectUrl, processes }: Config): Promise<number> {
  if (databaseUrl) {
    const wanted = processes ?? availableParallelism();
    // Behind a pooler, connections are no limit. The default pool of a few processes always fits.
    if (processes !== undefined || databaseDirectUrl !== undefined || wanted <= 8) return wanted;
    const { readMaxConnections } = await import("../platform/db/index.ts");
    const most = (await readMaxConnections(databaseUrl)) ?? Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(wanted, Math.floor((most * 0.9) / connectionsPerProcess)));
  }
  if (processes !== undefined && processes > 1)
    throw new UsageError(
      `PROCESSES=${processes} needs DATABASE_URL: the embedded database has one process. Remove PROCESSES, or use a PostgreSQL server.`,
    );
  return 1;
}

async function servePrimary(count: number, io: Io, log: Log): Promise<number> {
  const { server, url, address } = await listenWithoutServing(io.config());
  const terminalClosed = onHangUp(() => {
    log.info("SIGHUP: replacing all processes");
    void primary.replaceAll();
  });
  const primary = runPrimary({
    count,
    server,
    url,
    log,
    signal: AbortSignal.any([io.signal, terminalClosed]),
    onReady: () => {
      log.info(`listening on ${address}`);
      io.out(`Signalbox is ready at ${io.config().publicUrl ?? url}`);
    },
  });
  return primary.ended;
}

/** Calls `reload` at SIGHUP. A terminal that is closed sends the same signal, and then the returned one aborts instead. */
function onHangUp(reload: () => void): AbortSignal {
  const terminalClosed = new AbortController();
  // Asked now: when the signal arrives, the terminal is gone.
  const hasTerminal = isatty(0);
  process.on("SIGHUP", () => (hasTerminal ? terminalClosed.abort() : reload()));
  return terminalClosed.signal;
}

/** By default SIGHUP ends a process at once, and systemd does not start one again that ended so. */
const ignoreHangUp = (log: Log): AbortSignal =>
  onHangUp(() => log.warn("SIGHUP: a single process cannot replace itself; restart the service instead"));

/** After an uncaught error the state is unknown, so the process exits and a supervisor starts a new one. */
function endOnFaults(log: Log): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(exit.failed);
    });
  }
}
