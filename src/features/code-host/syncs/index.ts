export { routes } from "./routes.ts";
export { announceSyncs, queueEventSyncs, queueSync } from "./service.ts";
export {
  findLive,
  lockConnector,
  newestSync,
  onConflictWithQueued,
  type SyncRequest,
} from "./store.ts";
export { removeOldSyncs, runSyncs, syncRetentionDays, syncWorker } from "./work/index.ts";
