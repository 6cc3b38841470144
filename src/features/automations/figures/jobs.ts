import { job } from "../../../platform/jobs/index.ts";
import { sumFigures } from "./service.ts";

const budgetMs = 60_000;

/** Adds runs and reports to the sums that the overview reads. */
export const sumUp = job({
  name: "automations.sum-figures",
  schedule: "5-59/10 * * * *",
  handle: (platform) => sumFigures(platform, Date.now() + budgetMs),
});
