import type { Job } from "../../platform/jobs/index.ts";
import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { eventReportBatcher, runFollowers } from "./events/index.ts";
import { tick } from "./jobs.ts";
import { prune } from "./retention/index.ts";
import { routes } from "./routes.ts";
import { runCredential } from "./run-credentials/index.ts";
import { runnerCredential, sharedLookups } from "./runners/index.ts";
import { runChanges, skipUnclaimed, stopOrganization, workListeners } from "./runs/index.ts";

export type { Automation } from "./contract.ts";
export { computeDigest as digestReport } from "./digest.ts";
export type { RunEvent } from "./events/index.ts";
export { pruneAll as pruneAutomations } from "./retention/index.ts";
export type { Run } from "./runs/index.ts";
export { findNextOccurrence, type Schedule } from "./schedules/index.ts";
export { defaults as defaultSettings } from "./settings/index.ts";

export const room = defineRoom({
  name: "automations",
  tags: [
    { name: "Automations", description: "What should happen when." },
    { name: "Automation Runs", description: "Each time it did, and what was reported about it." },
    { name: "Automation Runners", description: "The machines that do runs." },
    { name: "Automation Usage", description: "What runs used and cost." },
  ],
  routes,
  state: [runChanges, workListeners, eventReportBatcher, runFollowers, sharedLookups],
  jobs: [tick, prune, skipUnclaimed, stopOrganization as Job],
  permissions: ["automations:create", "automations:manage", "usage:read"] satisfies Permission[],
  credentials: [runnerCredential, runCredential],
});
