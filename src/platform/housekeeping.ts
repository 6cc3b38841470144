import { removeExpiredAttempts, removeOldReplies, removeOldUsage } from "./http/index.ts";
import { job, removeOldDeaths } from "./jobs/index.ts";

/** Removes the platform's own rows that have expired. */
export const housekeeping = job({
  name: "platform.tidy",
  schedule: "*/10 * * * *",
  handle: async ({ db }) => {
    await removeExpiredAttempts(db);
    await removeOldReplies(db);
    await removeOldDeaths(db);
    await removeOldUsage(db);
  },
});
