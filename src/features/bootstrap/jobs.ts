import { job } from "../../platform/jobs/index.ts";
import { removeUnclaimed } from "./service.ts";

/** One round works that long and leaves the rest to the next. */
const roundMs = 60_000;

export const jobs = [
  job({
    name: "bootstrap.tidy",
    schedule: "*/15 * * * *",
    handle: (platform) => removeUnclaimed(platform, Date.now() + roundMs),
  }),
];
