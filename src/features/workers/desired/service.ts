import type { Desired } from "./contract.ts";
import type { DesiredRow } from "./store.ts";

export const toDesired = (row: DesiredRow): Desired => ({
  ...(row.version === null ? {} : { version: row.version }),
  ...(row.upgradeId === null ? {} : { upgradeId: row.upgradeId as Desired["upgradeId"] & string }),
  ...(row.configuration ? { configuration: row.configuration } : {}),
  configurationRevision: row.configurationRevision,
  paused: row.paused,
  drain: row.drain,
});
