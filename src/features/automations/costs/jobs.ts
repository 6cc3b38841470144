import { job } from "../../../platform/jobs/index.ts";
import { type Recomputation, recomputeCosts } from "./recompute.ts";

/** `llm-providers` adds it when a price is corrected, and knows it by its name. */
export const recomputation = job<Recomputation>({
  name: "automations.recompute-costs",
  handle: (platform, data) => recomputeCosts(platform, data),
});
