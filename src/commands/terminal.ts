import { setTimeout as sleep } from "node:timers/promises";
import { printable } from "@signalbox/command-line";
import { type Config, readConfig } from "../platform/config.ts";
import type { Platform } from "../platform/context.ts";
import { NoAnswer, type Outlet, sendOrder } from "../platform/control.ts";
import { hasDatabase, holderOf, lockFolder } from "../platform/db/index.ts";
import { OperatorError } from "../platform/errors.ts";
import { createLog } from "../platform/log.ts";
import { FolderInUse, type OpenDatabase, openDatabase, openPlatform } from "../platform/open.ts";
import { commands, runCommand } from "./index.ts";
import { exit, type Io } from "./io.ts";

/** How long a command waits for a data folder that another command or a starting server holds. */
const patienceMs = 15_000;

/** Runs a command as its own process: opens what the command needs and closes it at the end. */
export function terminalIo(
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Io & { close(): Promise<void> } {
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(one);
    return one;
  };
  let config: Config | undefined;
  let database: Promise<OpenDatabase> | undefined;
  const io: Io = {
    // Names, messages and addresses may contain any text.
    out: (line) => void process.stdout.write(`${printable(line)}\n`),
    err: (line) => void process.stderr.write(`${printable(line)}\n`),
    signal,
    environment,
    serving: false,
    config: () => {
      config ??= readConfig(environment);
      return config;
    },
    database: async ({ create = false, anySchema = false, anySecret = false } = {}) => {
      const config = io.config();
      if (!create && !config.databaseUrl && !hasDatabase(config.dataDir)) throw noInstance(config.dataDir);
      const schema = anySchema ? "leave" : "require";
      const log = createLog("warn");
      database ??= openDatabase(config, { log, schema, patienceMs, anySecret, sealedColumns }).then(keep);
      return database;
    },
    platform: async () => {
      const { jobs } = await import("../app.ts");
      const config = io.config();
      const publicUrl = config.publicUrl ?? `http://${config.host}:${config.port || 8787}`;
      const log = createLog("warn");
      return keep(
        await openPlatform(config, { publicUrl, jobs, works: false, log, patienceMs, sealedColumns }),
      );
    },
    carryOut: ({ command, args }, outlet, platform) => {
      if (!commands[command]?.database) {
        outlet.err(
          `The running Signalbox has no command ${command} to run here. Restart it, if it is older.`,
        );
        return Promise.resolve(exit.failed);
      }
      return runCommand(command, args, insideServer(io, platform, outlet));
    },
  };
  return {
    ...io,
    async close() {
      for (const one of opened.reverse()) await one.close();
    },
  };
}

const sealedColumns = async () => (await import("../app.ts")).columnsUnderSecret;

const insideServer = (io: Io, platform: Platform, outlet: Outlet): Io => ({
  ...io,
  ...outlet,
  serving: true,
  database: async () => platform,
  platform: async () => platform,
});

const noInstance = (dataDir: string) =>
  new OperatorError(
    `There is no Signalbox in ${dataDir} yet. Start one with \`signalbox serve\`, or name its folder with DATA_DIR.`,
  );

/**
 * Runs a command here, or in the server that holds the data folder. A folder that is held by a command,
 * or by a server that is still starting, is waited for.
 */
export async function runWhereTheDatabaseIs(name: string, args: string[], io: Io): Promise<number> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  const dataDir = commands[name]?.database && !wantsHelp ? embeddedFolder(io) : undefined;
  if (dataDir === undefined) return runCommand(name, args, io);
  try {
    return await runWhereTheFolderIs(dataDir, name, args, io);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    io.err(error.message);
    return exit.failed;
  }
}

async function runWhereTheFolderIs(dataDir: string, name: string, args: string[], io: Io): Promise<number> {
  for (const started = Date.now(); isHeld(dataDir); await sleep(100)) {
    const address = holderOf(dataDir)?.control;
    if (address) {
      try {
        return await sendOrder(address, { command: name, args }, io);
      } catch (error) {
        if (!(error instanceof NoAnswer)) {
          io.err("The running Signalbox stopped before the command had ended. Run the command again.");
          return exit.failed;
        }
      }
    }
    if (Date.now() - started > patienceMs) {
      io.err(new FolderInUse(dataDir).message);
      return exit.failed;
    }
  }
  return runCommand(name, args, io);
}

function embeddedFolder(io: Io): string | undefined {
  try {
    const { databaseUrl, dataDir } = io.config();
    return !databaseUrl && hasDatabase(dataDir) ? dataDir : undefined;
  } catch {
    // The command itself reports errors in the configuration.
    return undefined;
  }
}

function isHeld(dataDir: string): boolean {
  const lock = lockFolder(dataDir);
  lock?.release();
  return !lock;
}
