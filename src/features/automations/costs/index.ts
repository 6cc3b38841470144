export { recomputation } from "./jobs.ts";
export { countUsageReport } from "./service.ts";
export { completionReport } from "./store.ts";
