import { setTimeout as sleep } from "node:timers/promises";
import { printable } from "@signalbox/command-line";
import { type Config, readConfig } from "../platform/config.ts";
import type { Platform } from "../platform/context.ts";
import {
  CommandNotAccepted,
  type CommandOutput,
  describeInterruption,
  isLocked,
  sendCommand,
} from "../platform/control.ts";
import { findLockHolder, hasDatabase } from "../platform/db/index.ts";
import { OperatorError } from "../platform/errors.ts";
import { createLog } from "../platform/log.ts";
import { FolderInUse, type OpenDatabase, openDatabase, openPlatform } from "../platform/open.ts";
import { commands, runCommand } from "./index.ts";
import { exit, type Io } from "./io.ts";

/** How long a command waits for a data folder that another command or a starting server holds. */
const maxWaitMs = 15_000;

/** Runs a command as its own process: opens what the command needs and closes it at the end. */
export function createTerminalIo(
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Io & { close(): Promise<void> } {
  const opened: { close(): Promise<void> }[] = [];
  const closeAtEnd = <T extends { close(): Promise<void> }>(one: T): T => {
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
      if (!create && !config.databaseUrl && !hasDatabase(config.dataDir))
        throw createMissingInstanceError(config.dataDir);
      const schema = anySchema ? "leave" : "require";
      const log = createLog("warn");
      database ??= openDatabase(config, { log, schema, maxWaitMs: maxWaitMs, anySecret, sealedColumns }).then(
        closeAtEnd,
      );
      return database;
    },
    platform: async () => {
      const { jobs } = await import("../app.ts");
      const config = io.config();
      const publicUrl = config.publicUrl ?? `http://${config.host}:${config.port || 8787}`;
      const log = createLog("warn");
      return closeAtEnd(
        await openPlatform(config, {
          publicUrl,
          jobs,
          works: false,
          log,
          maxWaitMs: maxWaitMs,
          sealedColumns,
        }),
      );
    },
    runForOtherProcess: ({ command, args }, output, platform) => {
      const entry = commands[command];
      if (!entry?.database && !entry?.asksServer) {
        output.err(
          `The running Signalbox has no command ${command} to run here. Restart it, if it is older.`,
        );
        return Promise.resolve(exit.failed);
      }
      return runCommand(command, args, createServerIo(io, platform, output));
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

const createServerIo = (io: Io, platform: Platform, output: CommandOutput): Io => ({
  ...io,
  ...output,
  serving: true,
  database: async () => platform,
  platform: async () => platform,
});

const createMissingInstanceError = (dataDir: string) =>
  new OperatorError(
    `There is no Signalbox in ${dataDir} yet. Start one with \`signalbox serve\`, or name its folder with DATA_DIR.`,
  );

/**
 * Runs a command here, or in the server that holds the data folder. A folder that is held by a command,
 * or by a server that is still starting, is waited for.
 */
export async function runHereOrInServer(name: string, args: string[], io: Io): Promise<number> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  const dataDir = commands[name]?.database && !wantsHelp ? findEmbeddedFolder(io) : undefined;
  if (dataDir === undefined) return runCommand(name, args, io);
  try {
    return await runAtFolder(dataDir, name, args, io);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    io.err(error.message);
    return exit.failed;
  }
}

async function runAtFolder(dataDir: string, name: string, args: string[], io: Io): Promise<number> {
  for (const started = Date.now(); isLocked(dataDir); await sleep(100)) {
    const address = findLockHolder(dataDir)?.control;
    if (address) {
      try {
        return await sendCommand(address, { command: name, args }, io);
      } catch (error) {
        if (!(error instanceof CommandNotAccepted)) {
          io.err(describeInterruption(io));
          return exit.failed;
        }
      }
    }
    if (io.signal.aborted || Date.now() - started > maxWaitMs) {
      io.err(io.signal.aborted ? describeInterruption(io) : new FolderInUse(dataDir).message);
      return exit.failed;
    }
  }
  return runCommand(name, args, io);
}

function findEmbeddedFolder(io: Io): string | undefined {
  try {
    const { databaseUrl, dataDir } = io.config();
    return !databaseUrl && hasDatabase(dataDir) ? dataDir : undefined;
  } catch {
    // The command itself reports errors in the configuration.
    return undefined;
  }
}
