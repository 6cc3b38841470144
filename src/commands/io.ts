import type { Readable } from "node:stream";
import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/context.ts";
import type { Order, Outlet } from "../platform/control.ts";

/** Exit codes: what a script can branch on. `refused`: not signed in, or not allowed. */
export const exit = { ok: 0, failed: 1, usage: 2, pending: 3, refused: 4, notFound: 5 } as const;

/** What a command gets to work with, at a terminal or inside the serving process. */
export interface Io extends Outlet {
  /** Throws a ConfigError when the environment is wrong. */
  config(): Config;
  /** What a command reads beside the configuration of the service. */
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** What is read instead of stdin. */
  readonly input?: Readable;
  /** True inside the serving process. */
  readonly serving: boolean;
  database(needs?: DatabaseNeeds): Promise<Pick<Platform, "db" | "keyring">>;
  /** The database and everything that stands on it, migrated. */
  platform(): Promise<Platform>;
  /** Carries out what another process orders, on this process's database. */
  carryOut(order: Order, outlet: Outlet, platform: Platform): Promise<number>;
}

interface DatabaseNeeds {
  /** Makes an embedded database where there is none. */
  create?: boolean;
  /** Works on a schema that is behind this program's. */
  anySchema?: boolean;
  /** Works on a database that is sealed with another secret than the configured one. */
  anySecret?: boolean;
}

export type Command = (args: string[], io: Io) => Promise<number>;
