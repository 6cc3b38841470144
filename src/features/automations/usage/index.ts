export { counters, listReports as listReportsContract, UsageTotals } from "./contract.ts";
export { routes } from "./routes.ts";
export { listReports } from "./service.ts";
export { removeSome as removeSomeUsage } from "./store.ts";
export { sumByRun } from "./sums/index.ts";
