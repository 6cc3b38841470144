import type { Job } from "../../platform/jobs/index.ts";
import { tick } from "./jobs.ts";
import { prune } from "./retention/index.ts";
import { skipUnclaimed, stopOrganization } from "./runs/index.ts";

export type { Automation } from "./contract.ts";
export { digestOf as digestReport } from "./digest.ts";
export type { RunEvent } from "./events/index.ts";
export { pruneAll as pruneAutomations } from "./retention/index.ts";
export { routes } from "./routes.ts";
export { endRunCredentialsOfUser, resolveRun, runPrefix } from "./run-credentials/index.ts";
export { removeRunnerTokensOfUser, resolveRunner, runnerPrefix, touchRunnersOfAll } from "./runners/index.ts";
export type { NamedRun, Run, RunDetail } from "./runs/index.ts";
export { nextOccurrence, type Schedule } from "./schedules/index.ts";
export { defaults as defaultSettings } from "./settings/index.ts";

export const jobs = [tick, prune, skipUnclaimed, stopOrganization as Job];
