export { runChanges } from "./changes.ts";
export {
  asReader,
  asReporter,
  Model,
  NamedRun,
  oneOfNames,
  Run,
  retry as retryContract,
  runId,
} from "./contract.ts";
export { alreadyCompleted, isOver, leaseLost } from "./fence.ts";
export { findForFollowers, isReachable } from "./following.ts";
export { skipUnclaimed, stopOrganization, sweep } from "./jobs.ts";
export { routes } from "./routes.ts";
export {
  countUsage,
  createRun,
  endQueued,
  holderOf,
  reachOf,
  readRun,
  renew,
  runIdOf,
  stand,
} from "./service.ts";
export {
  forgetLeftBehind,
  listLeftBehindOfAll,
  listOrganizationsOfAll,
  listToPrune,
  markPruned,
  type Reach,
  type RunId,
  removeOld,
  removeSome as removeSomeRuns,
} from "./store.ts";
export { workListeners } from "./work-announcements.ts";
