import { job } from "../../../platform/jobs/index.ts";
import * as store from "./store.ts";

const keptFor = { issuedDays: 90, otherDays: 400 };
const rowsPerStep = 2_000;
/** The time limit of one run. The next run continues. */
const maxRunMs = 60_000;

/** Removes old events in small steps. Busy agents are given many tokens, so one step is not enough. */
export const removeOldEvents = job({
  name: "oauth.tidy-events",
  schedule: "*/10 * * * *",
  async handle({ db }) {
    const until = Date.now() + maxRunMs;
    for (let after = ""; Date.now() < until; ) {
      const { removed, last } = await store.removeSomeOldAcrossOrganizations(db, keptFor, after, rowsPerStep);
      if (last === null || removed < rowsPerStep) return;
      after = last;
    }
  },
});
