import { job } from "../../../platform/jobs/index.ts";
import { tidyApprovals } from "./approvals/index.ts";

export const jobs = [
  job({ name: "mcp-connections.tidy-approvals", schedule: "*/15 * * * *", handle: tidyApprovals }),
];
