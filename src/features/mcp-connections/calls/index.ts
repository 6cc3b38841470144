import { callBreaker } from "./breaker.ts";
import { callLimiter } from "./limits.ts";
import { callLog } from "./log.ts";
import { listingRefresher } from "./refresh.ts";
import { limitReports } from "./report.ts";

export { callFields } from "./fields.ts";
export { callJobs } from "./jobs.ts";
export { countCallsSince } from "./reading.ts";
export { callRoutes } from "./routes.ts";
export { sealedPayloads } from "./sealing.ts";
export { callTool } from "./service.ts";
export type { CallOptions, CallResult } from "./types.ts";

export const callState = [callLog, callLimiter, callBreaker, listingRefresher, limitReports];
