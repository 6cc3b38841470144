import { job } from "../../../../platform/jobs/index.ts";
import * as store from "./store.ts";
import { syncWorker } from "./worker.ts";

/** New syncs are announced. Polling finds syncs that were postponed or whose worker died. */
export const runSyncs = job({
  name: "connectors.work",
  everySeconds: 2,
  isDue: store.hasDue,
  retries: 0,
  handle: ({ state }) => state.get(syncWorker).run(),
});

/** Syncs are removed this many days after their end. */
export const syncRetentionDays = 30;
const batchSize = 2_000;

export const removeOldSyncs = job({
  name: "connectors.tidy",
  schedule: "40 3 * * *",
  async handle({ db }) {
    while ((await store.removeOldAcrossOrganizations(db, syncRetentionDays, batchSize)) === batchSize);
  },
});
