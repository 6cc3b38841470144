import { job } from "../../platform/jobs/index.ts";
import { pruneAll } from "./service.ts";

export const jobs = [
  job({
    name: "audit.prune",
    schedule: "17 3 * * *",
    handle: ({ db }) => pruneAll(db),
    expireInSeconds: 3600,
  }),
];
