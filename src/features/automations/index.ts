import type { Job } from "../../platform/jobs/index.ts";
import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { recomputation } from "./costs/index.ts";
import { eventReportBatcher, runFollowers } from "./events/index.ts";
import { fields } from "./fields.ts";
import { removeSomeFigures, sumUp } from "./figures/index.ts";
import { failedStarts, startDue } from "./jobs.ts";
import { prune } from "./retention/index.ts";
import { removeSomeDays, removeSomeRepeatedRuns, rollUp } from "./rollups/index.ts";
import { routes } from "./routes.ts";
import { runCredential } from "./run-credentials/index.ts";
import { runnerCredential, sharedLookups } from "./runners/index.ts";
import {
  endOverdue,
  removeSomeRuns,
  runChanges,
  skipUnclaimed,
  stopOrganization,
  workListeners,
} from "./runs/index.ts";
import { removeSomeUsage } from "./usage/index.ts";

export type { Automation } from "./contract.ts";
export { computeDigest as digestReport } from "./digest.ts";
export { formatEvent, type RunEvent, recordServiceEvent } from "./events/index.ts";
export { type RunCount, readFigures, sumFigures } from "./figures/index.ts";
export { pruneAll as pruneAutomations } from "./retention/index.ts";
export {
  type Days,
  listIncompleteDaysAcrossOrganizations,
  rollUpDays,
  selectDayFigures,
} from "./rollups/index.ts";
export { createRunnerToken, removeRunner } from "./runners/index.ts";
export type { Run } from "./runs/index.ts";
export {
  findNextOccurrence,
  formatLocalTime,
  isTimeZone,
  type Schedule,
  toInstant,
  toLocalTime,
} from "./schedules/index.ts";
export { defaults as defaultSettings } from "./settings/index.ts";

export const room = defineRoom({
  name: "automations",
  tags: [
    { name: "Automations", description: "Instructions for agents, with a schedule." },
    {
      name: "Automation Runs",
      description: "The executions of automations, and what runners report about them.",
    },
    { name: "Automation Runners", description: "The programs that execute runs." },
    { name: "Automation Usage", description: "The usage and cost of runs." },
  ],
  routes,
  fields,
  state: [runChanges, workListeners, eventReportBatcher, runFollowers, sharedLookups, failedStarts],
  jobs: [startDue, endOverdue, prune, rollUp, sumUp, skipUnclaimed, stopOrganization as Job, recomputation],
  leftovers: [removeSomeRuns, removeSomeUsage, removeSomeFigures, removeSomeDays, removeSomeRepeatedRuns],
  permissions: ["automations:create", "automations:manage", "usage:read"] satisfies Permission[],
  credentials: [runnerCredential, runCredential],
});
