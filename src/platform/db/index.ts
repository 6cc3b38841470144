export { type FolderLock, findLockHolder, lockFolder } from "@signalbox/command-line/folders";
export { formatArray } from "./array-literal.ts";
export { type Batch, readBatches } from "./batches.ts";
export { ByteParts } from "./bind.ts";
export {
  createDb,
  type Db,
  type Engine,
  notify,
  runExclusively,
  type StatementOptions,
  type Unlisten,
} from "./db.ts";
export { copyEmbedded, hasDatabase, openEmbedded } from "./embedded.ts";
export {
  isCallerDisconnected,
  isCollision,
  isDatabaseBusy,
  isDatabaseDown,
  isDatabaseMoved,
  movedState,
  ReferenceRemoved,
  violatedConstraint,
} from "./failure.ts";
export { defineLease, expireIn, leaseConditions } from "./lease.ts";
export {
  type Applied,
  hasHistory,
  history as readAppliedMigrations,
  isMigrated,
  lockSchema,
  migrate,
  needsStop,
  pending as findPending,
  pendingMigrations,
  readMigrations,
} from "./migrate.ts";
export { addPartitions, dropPartition, listPartitions } from "./partitions.ts";
export { openPglite } from "./pglite.ts";
export {
  createMissingDirectUrlError,
  createPooledDirectUrlError,
  findPooler,
} from "./pooler.ts";
export { openPostgres, type StatementLimits } from "./postgres.ts";
export { filterOrder, type ListSource, listSource, pageBytes, scan, scanBudget, scanStep } from "./scan.ts";
export {
  checkServer,
  describeMissingRights,
  describeServer,
  describeUnreachableServer,
  encodingAdvice,
  minServerVersion,
  readMaxConnections,
  requiredEncoding,
} from "./server.ts";
export { isServerUrl, splitServers } from "./servers.ts";
export { listServingAddresses } from "./serving.ts";
export { emptySql, join, raw, reuseStatement, type Sql, sql } from "./sql.ts";
export { copyTemplate, writeTemplate } from "./template.ts";
