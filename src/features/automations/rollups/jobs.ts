import { job } from "../../../platform/jobs/index.ts";
import { rollUpDays } from "./service.ts";

const budgetMs = 60_000;

/** Adds up the days that are over, and those with corrected reports. */
export const rollUp = job({
  name: "automations.roll-up",
  schedule: "*/10 * * * *",
  handle: (platform) => rollUpDays(platform, Date.now() + budgetMs),
});
