export { recomputation } from "./jobs.ts";
export { countUsageReport, type NewUsageReport } from "./service.ts";
export { completionReport } from "./store.ts";
