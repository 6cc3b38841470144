import { job } from "../../platform/jobs/index.ts";
import { pruneChains } from "./prune.ts";

export const jobs = [
  job({
    name: "audit.prune",
    schedule: "17 3 * * *",
    handle: (platform) => pruneChains(platform),
    expireInSeconds: 3600,
  }),
];
