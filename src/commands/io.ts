import type { Config } from "../platform/config.ts";
import type { Platform } from "../platform/context.ts";
import type { Order, Outlet } from "../platform/control.ts";

/** Exit codes: what a script can branch on. */
export const exit = { ok: 0, failed: 1, usage: 2, pending: 3 } as const;

/** What a command gets to work with, at a terminal or inside the serving process. */
export interface Io extends Outlet {
  /** Throws a ConfigError when the environment is wrong. */
  config(): Config;
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
}

export type Command = (args: string[], io: Io) => Promise<number>;
