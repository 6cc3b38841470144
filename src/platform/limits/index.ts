export { hostLimits, type LimitsClient } from "./host.ts";
export type { LimitCall, Limits, LimitsAnswer, Place, QueueSpec } from "./limits.ts";
export { createLocalLimits } from "./local.ts";
export { createQueues, type Queues, type SharedQueue } from "./queues.ts";
export { createRemoteLimits } from "./remote.ts";
