import { once } from "node:events";
import { type Control, openControl } from "../platform/control.ts";
import { createLog, type Log } from "../platform/log.ts";
import { type OpenPlatform, openDatabase, openPlatform } from "../platform/open.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { listenOnConfiguredAddress } from "./bind.ts";
import { exit, type Io } from "./io.ts";

const help = `
Usage: signalbox serve [--role all|api|worker]

Runs the service until SIGINT or SIGTERM; then finishes what is in flight and ends with 0, within 10 s.
A second signal ends it at once. Prints one line with its URL when it is ready; the log goes to stderr: for people on a terminal,
else one JSON object a line (LOG_FORMAT=pretty or json decides).

Options:
  --role all      everything in one process (the default)
  --role api      answers requests; jobs are left to workers
  --role worker   does the jobs; answers only /health, /ready, /version and /metrics
                  (api and worker need DATABASE_URL: the embedded database has one process)

Settings (environment, or .env): HOST, PORT, PUBLIC_URL, DATABASE_URL, DATA_DIR, SIGNALBOX_SECRET, …
All of them: docs/cli.md

Examples:
  signalbox serve
  PORT=0 DATA_DIR=/var/lib/signalbox signalbox serve
  DATABASE_URL=postgres://… SIGNALBOX_SECRET=… signalbox serve --role worker
`;

const roles = ["all", "api", "worker"] as const;

/** How long requests in flight may take to finish at shutdown. Supervisors usually wait 10 s. */
const graceMs = 8_000;
const deadlineMs = 9_500;

export async function serve(args: string[], io: Io): Promise<number> {
  const { values } = readArguments(args, { help, options: { role: { type: "string", default: "all" } } });
  const role = roles.find((one) => one === values.role);
  if (!role) throw new UsageError(`--role must be one of ${roles.join(", ")}.`);
  const config = io.config();
  if (role !== "all" && !config.databaseUrl) {
    throw new UsageError(`--role ${role} needs DATABASE_URL: the embedded database has one process.`);
  }
  const log = createLog(config.logLevel, { format: config.logFormat });
  endOnFaults(log);

  const socket = await listenOnConfiguredAddress(config);
  // The embedded database opens while the features load. Connecting to a server has a time limit, and loading blocks the
  // process for seconds on a busy machine, so it comes first there.
  const rooms = import("../app.ts");
  if (config.databaseUrl) await rooms;
  const database = openDatabase(config, {
    log,
    sealedColumns: async () => (await rooms).columnsUnderSecret,
  });
  database.catch(() => {});
  const { createApp, jobs } = await rooms;
  const works = role !== "api";
  const publicUrl = config.publicUrl ?? socket.url;
  const platform = await openPlatform(config, { publicUrl, jobs, works, log, database });
  const app = createApp(platform, { role });
  const listening = socket.serve(app);
  const control = await acceptCommands(io, platform);
  if (works) await platform.jobs.work(platform, jobs);
  // The line on stdout names PUBLIC_URL, which several replicas share.
  log.info(`listening on ${socket.address}`);
  io.out(`Signalbox is ready at ${platform.config.publicUrl}`);

  if (!io.signal.aborted) await once(io.signal, "abort");
  setTimeout(() => {
    log.warn("not everything had ended in time");
    process.exit(exit.ok);
  }, deadlineMs).unref();
  await Promise.all([listening.close(graceMs), control?.close()]);
  await app.close();
  await platform.close(1_000);
  return exit.ok;
}

/** When this process holds the embedded database, it runs the commands of other processes. */
async function acceptCommands(io: Io, platform: OpenPlatform): Promise<Control | undefined> {
  if (!platform.lock) return undefined;
  try {
    const control = await openControl(platform.config.dataDir, (command, output) =>
      io.runForOtherProcess(command, output, platform),
    );
    platform.lock.announce({ pid: process.pid, control: control.address });
    return control;
  } catch (error) {
    // Some file systems have no sockets. The service still starts; commands then work only while it is stopped.
    platform.log.warn({ err: error }, "commands cannot be run while this serves");
    return undefined;
  }
}

/** After an uncaught error the state is unknown, so the process exits and a supervisor starts a new one. */
function endOnFaults(log: Log): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(exit.failed);
    });
  }
}
