export { removeOldSyncs, runSyncs, syncRetentionDays } from "./jobs.ts";
export { syncWorker } from "./worker.ts";
