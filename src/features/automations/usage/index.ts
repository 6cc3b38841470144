export { counters, UsageTotals } from "./contract.ts";
export { routes } from "./routes.ts";
export { countUsageReport, isMonthlyBudgetSpent, sumByRun } from "./service.ts";
export { completionReport, removeSome as removeSomeUsage } from "./store.ts";
