export { routes } from "./routes.ts";
export { announceSyncs, queueEventSyncs, queueSync } from "./service.ts";
export {
  findLive,
  lockConnector,
  newestSync,
  onConflictWithQueued,
  removeSome as removeSomeSyncs,
  removeSomeOfConnector as removeSomeSyncsOfConnector,
  type SyncRequest,
} from "./store.ts";
export { removeOldSyncs, runSyncs, syncRetentionDays, syncWorker } from "./work/index.ts";
