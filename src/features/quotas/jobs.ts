import { job } from "../../platform/jobs/index.ts";
import { measureDue } from "./service.ts";

/** How long one round may take. The next round continues. */
const roundMs = 60_000;

export const jobs = [
  job({
    name: "quotas.measure",
    schedule: "*/10 * * * *",
    handle: (platform) => measureDue(platform, Date.now() + roundMs),
  }),
];
