import type { Job } from "../../platform/jobs/index.ts";
import { tick } from "./jobs.ts";
import { prune } from "./retention/index.ts";
import { skipUnclaimed, stopOrganization } from "./runs/index.ts";

export { routes } from "./routes.ts";
export { resolveRunner, runnerPrefix, touchRunnersOfAll } from "./runners/index.ts";

export const jobs = [tick, prune, skipUnclaimed, stopOrganization as Job];
