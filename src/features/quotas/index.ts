import { defineRoom } from "../../platform/rooms.ts";
import { jobs } from "./jobs.ts";
import { checkQuotaNames } from "./limits.ts";
import { quotaMeter } from "./meter.ts";
import { routes } from "./routes.ts";
import { idempotencyLimits } from "./service.ts";

export { Quota } from "./contract.ts";
export { instanceLimit } from "./limits.ts";
export { quotaMeter } from "./meter.ts";
export {
  findCountLimit,
  findKeepLimit,
  listQuotas,
  measureDue,
  readLimits,
  replaceLimits,
  takeQuota,
} from "./service.ts";
export { overhead } from "./store.ts";

export const room = defineRoom({
  name: "quotas",
  routes,
  jobs,
  state: [quotaMeter],
  idempotencyLimits,
  start: ({ config }) => checkQuotaNames(config),
});
