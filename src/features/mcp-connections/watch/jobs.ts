import { job } from "../../../platform/jobs/index.ts";
import { watchConnections } from "./service.ts";

/** A connection is due once a day, after a failure with growing pauses, and when it is new. */
export const watchJobs = [
  job({
    name: "mcp-connections.watch",
    schedule: "* * * * *",
    everySeconds: 10,
    retries: 0,
    handle: watchConnections,
  }),
];
