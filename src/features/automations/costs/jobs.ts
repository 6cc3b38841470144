import { job } from "../../../platform/jobs/index.ts";
import { type Recomputation, recomputeCosts } from "./recompute.ts";

/** Computes costs again. `llm-providers` adds this job by its name when a price is corrected. */
export const recomputation = job<Recomputation>({
  name: "automations.recompute-costs",
  handle: (platform, data) => recomputeCosts(platform, data),
});
