import type { Readable } from "node:stream";
import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/context.ts";
import type { CommandOutput, ControlCommand } from "../platform/control.ts";

export { exit } from "@signalbox/command-line";

/** The input and output of a command, at a terminal or inside the serving process. */
export interface Io extends CommandOutput {
  /** Throws a ConfigError when the environment is wrong. */
  config(): Config;
  /** Environment variables that are not part of the service's configuration. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Replaces stdin. */
  readonly input?: Readable;
  /** True inside the serving process. */
  readonly serving: boolean;
  database(needs?: DatabaseNeeds): Promise<Pick<Platform, "db" | "keyring">>;
  /** Opens the migrated database and the platform on it. */
  platform(): Promise<Platform>;
  /** Runs a command for another process, on this process's database. */
  runForOtherProcess(command: ControlCommand, output: CommandOutput, platform: Platform): Promise<number>;
}

interface DatabaseNeeds {
  /** Creates the embedded database when it does not exist. */
  create?: boolean;
  /** Accepts a schema that is older than this program. */
  anySchema?: boolean;
  /** Accepts a database that was sealed with a different secret than the configured one. */
  anySecret?: boolean;
}

export type Command = (args: string[], io: Io) => Promise<number>;
