export { checkChangedCosts, stopRuns } from "./check.ts";
export { recomputation } from "./jobs.ts";
export { countUsageReports } from "./service.ts";
export { completionReport } from "./store.ts";
