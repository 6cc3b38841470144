export { counters, listReports as listReportsContract, UsageTotals } from "./contract.ts";
export { routes } from "./routes.ts";
export { listReports, sumByRun } from "./service.ts";
export { removeSome as removeSomeUsage } from "./store.ts";
