import { job } from "../../../platform/jobs/index.ts";
import { watchJob } from "../first-listing.ts";
import { watchConnections } from "./service.ts";

/** A connection is due once a day, after a failure with growing pauses, and at once when it is new. */
export const watchJobs = [
  job({
    name: watchJob.name,
    schedule: "* * * * *",
    everySeconds: 10,
    retries: 0,
    handle: watchConnections,
  }),
];
