export { type FolderLock, findLockHolder, lockFolder } from "@signalbox/command-line/folders";
export { createDb, type Db, type Engine, notify, runExclusively, type Unlisten } from "./db.ts";
export { hasDatabase, openEmbedded } from "./embedded.ts";
export {
  isCallerDisconnected,
  isCollision,
  isDatabaseBusy,
  isDatabaseDown,
  isMissingReference,
  violatedConstraint,
} from "./failure.ts";
export { defineLease, expireIn, leaseConditions } from "./lease.ts";
export { isMigrated, migrate, pendingMigrations, readMigrations } from "./migrate.ts";
export { addPartitions, dropPartition, listPartitions, type Partition } from "./partitions.ts";
export { openPglite } from "./pglite.ts";
export { openPostgres, type StatementLimits } from "./postgres.ts";
export { filterOrder, type ListSource, listSource, scan, scanBudget, scanStep } from "./scan.ts";
export { describeOldServer, describeServer, describeUnreachableServer, minServerVersion } from "./server.ts";
export { emptySql, join, raw, reuseStatement, type Sql, sql } from "./sql.ts";
