import { job } from "../../platform/jobs/index.ts";
import { pruneAll } from "./prune.ts";

export const jobs = [
  job({
    name: "audit.prune",
    schedule: "17 3 * * *",
    handle: (platform) => pruneAll(platform),
    expireInSeconds: 3600,
  }),
];
