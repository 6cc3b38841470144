export { type FolderLock, holderOf, lockFolder } from "@signalbox/command-line/folders";
export { createDb, type Db, type Engine, exclusively, notify, type Unlisten } from "./db.ts";
export { hasDatabase, openEmbedded } from "./embedded.ts";
export {
  isCallerGone,
  isCollision,
  isDatabaseBusy,
  isDatabaseDown,
  isReferenceGone,
  violatedConstraint,
} from "./failure.ts";
export { defineLease, expireIn } from "./lease.ts";
export { isMigrated, migrate, pendingMigrations, readMigrations } from "./migrate.ts";
export { openPglite } from "./pglite.ts";
export { openPostgres, type StatementLimits } from "./postgres.ts";
export { filterOrder, type ListSource, listSource, scan, scanBudget, scanStep } from "./scan.ts";
export { describeServer, oldestServer, tooOld, unreachable } from "./server.ts";
export { join, nothing, raw, reuseStatement, type Sql, sql } from "./sql.ts";
