import { job } from "../../../platform/jobs/index.ts";
import { recomputeCosts } from "./recompute.ts";

const budgetMs = 60_000;

/**
 * Computes costs again. `llm-providers` adds this job by its name with the first request of an organization. Every five
 * minutes it continues what was left, for example by an organization that was suspended.
 */
export const recomputation = job({
  name: "automations.recompute-costs",
  schedule: "*/5 * * * *",
  handle: (platform) => recomputeCosts(platform, Date.now() + budgetMs),
});
