export type { RunEvent } from "./contract.ts";
export { formatEvent } from "./event-rows.ts";
export { runFollowers } from "./followers.ts";
export { keepPartitions, leaveEventsOfRun, removeEventsOfRun, removeLeftoverEvents } from "./prune.ts";
export { eventReportBatcher } from "./report-batcher.ts";
export { routes } from "./routes.ts";
export { recordServiceEvent } from "./service-events.ts";
