import { job } from "../../platform/jobs/index.ts";
import { measureDue } from "./service.ts";

/** One round works that long and leaves the rest to the next. */
const roundMs = 60_000;

export const jobs = [
  job({
    name: "quotas.measure",
    schedule: "*/10 * * * *",
    handle: (platform) => measureDue(platform, Date.now() + roundMs),
  }),
];
