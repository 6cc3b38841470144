export { runChanges } from "./changes.ts";
export {
  asReader,
  asReporter,
  LastRun,
  Model,
  NamedRun,
  oneOfNames,
  Run,
  retry as retryContract,
  runId,
} from "./contract.ts";
export { countUsage } from "./counting.ts";
export { alreadyCompleted, isOver, leaseLost } from "./fence.ts";
export { findForFollowers, isReachable } from "./following.ts";
export { endOverdue, endOverdueRuns, skipUnclaimed, stopOrganization } from "./jobs.ts";
export { removeOld } from "./removal.ts";
export { routes } from "./routes.ts";
export {
  cancelQueuedRuns,
  createRun,
  lockForReport,
  parseRunId,
  readRun,
  renewLease,
  resolveHolder,
  resolveReach,
} from "./service.ts";
export {
  listOrgIdsAcrossOrganizations,
  listToPrune,
  markPruned,
  type Reach,
  type RunId,
  removeSome as removeSomeRuns,
} from "./store.ts";
export { workListeners } from "./work-announcements.ts";
