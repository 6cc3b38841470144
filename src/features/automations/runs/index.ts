export { changesOf } from "./changes.ts";
export { asReporter, Model, Run, runId } from "./contract.ts";
export { alreadyCompleted, leaseLost } from "./fence.ts";
export { skipUnclaimed, stopOrganization, sweep } from "./jobs.ts";
export { onWork } from "./leases.ts";
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
