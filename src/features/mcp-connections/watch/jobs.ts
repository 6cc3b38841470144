import { job } from "../../../platform/jobs/index.ts";
import { watchJob } from "../first-listing.ts";
import { watchConnections } from "./service.ts";
import { hasDue } from "./store.ts";

/** A connection is due once a day, after a failure with growing pauses, and at once when it is new. */
export const watchJobs = [
  job({
    name: watchJob.name,
    everySeconds: 10,
    isDue: hasDue,
    retries: 0,
    handle: watchConnections,
  }),
];
