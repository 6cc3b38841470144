import { once } from "node:events";
import type { Config } from "../platform/config.ts";
import { type Control, openControl } from "../platform/control.ts";
import { createServerWithoutSocket } from "../platform/http/index.ts";
import type { Log } from "../platform/log.ts";
import { type OpenPlatform, openDatabase, openPlatform } from "../platform/open.ts";
import type { PrimaryLink } from "../platform/processes/index.ts";
import { listenOnConfiguredAddress } from "./bind.ts";
import { exit, type Io } from "./io.ts";

/** How long requests in flight may take to finish at shutdown. Supervisors usually wait 10 s. */
const graceMs = 8_000;
const deadlineMs = 9_500;

interface ProcessOptions {
  config: Config;
  role: "all" | "api" | "worker";
  log: Log;
  io: Io;
  /** Absent when this process serves alone. */
  link: PrimaryLink | undefined;
}

/** Serves in this process until it is asked to stop. */
export async function serveProcess({ config, role, log, io, link }: ProcessOptions): Promise<number> {
  const socket = link ? undefined : await listenOnConfiguredAddress(config);
  const server = socket ?? createServerWithoutSocket();
  // The embedded database opens while the features load. Connecting to a server has a time limit, and loading blocks the
  // process for seconds on a busy machine, so it comes first there.
  const rooms = import("../app.ts");
  if (config.databaseUrl) await rooms;
  await link?.mayOpen;
  const database = openDatabase(config, {
    log,
    processes: link?.count ?? 1,
    sealedColumns: async () => (await rooms).columnsUnderSecret,
  });
  database.catch(() => {});
  const { createApp, jobs } = await rooms;
  const works = role !== "api";
  const publicUrl = config.publicUrl ?? link?.url ?? socket!.url;
  const platform = await openPlatform(config, { publicUrl, jobs, works, log, database, link });
  const app = createApp(platform, { role });
  const listening = server.serve(app);
  const control = await acceptCommands(io, platform);
  // Every queue is asked for waiting jobs first. Requests are answered meanwhile.
  const working = works ? platform.jobs.work(platform, jobs) : undefined;
  working?.catch(() => {});
  if ("take" in server) link?.reportReady(server.take);
  else {
    // The line on stdout names PUBLIC_URL, which several replicas share.
    log.info(`listening on ${server.address}`);
    io.out(`Signalbox is ready at ${platform.config.publicUrl}`);
  }

  await working;

  const stop = link ? AbortSignal.any([io.signal, link.stopping]) : io.signal;
  if (!stop.aborted) await once(stop, "abort");
  const drainMs = link?.drainMs() ?? 0;
  if (!link?.stopping.aborted) link?.reportLeaving();
  setTimeout(() => {
    log.warn("not everything had ended in time");
    process.exit(exit.ok);
  }, drainMs + deadlineMs).unref();
  await Promise.all([listening.close(graceMs, drainMs), control?.close()]);
  await app.close();
  await platform.close(1_000);
  await link?.leave();
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
