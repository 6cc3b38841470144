import type { Job } from "../../platform/jobs/index.ts";
import { tick } from "./jobs.ts";
import { prune } from "./retention/index.ts";
import { stopOrganization } from "./runs/index.ts";

export { routes } from "./routes.ts";
export { resolveRunner, runnerPrefix, touchRunnersOfAll } from "./runners/index.ts";

export const jobs = [tick, prune, stopOrganization as Job];
