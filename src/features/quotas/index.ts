export { jobs } from "./jobs.ts";
export { checkQuotaNames, instanceLimit } from "./limits.ts";
export { meterOf } from "./meter.ts";
export { routes } from "./routes.ts";
export { idempotencyLimits, keepAtMost, measureDue, takeQuota } from "./service.ts";
export { overhead } from "./store.ts";
