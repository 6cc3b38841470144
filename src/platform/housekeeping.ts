import { removeOldReplies, removeOverAttempts } from "./http/index.ts";
import { job } from "./jobs/index.ts";

/** What the platform itself keeps for a while only. */
export const housekeeping = job({
  name: "platform.tidy",
  schedule: "*/10 * * * *",
  handle: async ({ db }) => {
    await removeOverAttempts(db);
    await removeOldReplies(db);
  },
});
