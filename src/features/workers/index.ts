import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { routes as activity, beatBatcher } from "./activity/index.ts";
import { routes as assignments } from "./assignments/index.ts";
import { fields } from "./fields.ts";
import { jobs } from "./jobs.ts";
import { registrationCredential, routes as registrationTokens } from "./registration-tokens/index.ts";
import { routes as rollouts } from "./rollouts/index.ts";
import { routes } from "./routes.ts";
import { routes as runnerAccess } from "./runner-access/index.ts";
import { routes as runtime } from "./runtime/index.ts";
import { serviceClock } from "./service-times/index.ts";
import { tokenLookups, workerCredential } from "./tokens/index.ts";
import { routes as upgrades } from "./upgrades/index.ts";

export { workerStates } from "./states/index.ts";
export {
  countStates as countWorkerStates,
  countStatesAcrossOrganizations,
  listUnseen as listUnseenWorkers,
} from "./store.ts";

export const room = defineRoom({
  name: "workers",
  tags: [
    { name: "Workers", description: "The machines that an organization runs work on, and their tokens." },
    { name: "Worker Runtime", description: "What workers run, and how they are upgraded." },
    { name: "Worker Activity", description: "Heartbeats of workers, and their timelines." },
  ],
  routes: [
    ...routes,
    ...registrationTokens,
    ...assignments,
    ...runnerAccess,
    ...runtime,
    ...upgrades,
    ...rollouts,
    ...activity,
  ],
  jobs,
  permissions: ["workers:read", "workers:manage"] satisfies Permission[],
  credentials: [workerCredential, registrationCredential],
  fields,
  state: [serviceClock, tokenLookups, beatBatcher],
  onServe: (platform) => void platform.state.get(serviceClock).start(),
});
