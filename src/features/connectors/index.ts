import { sealedAccess } from "./access/index.ts";
import { sealedSecrets } from "./secrets/index.ts";
import { heal } from "./sweep/index.ts";
import { tidy, work } from "./syncs/index.ts";

export { routes } from "./routes.ts";

export const sealedColumns = [sealedAccess, sealedSecrets];

export const jobs = [work, heal, tidy];

export type { News, Push } from "./hooks/news.ts";
export { type HookSecret, secretsOf } from "./hooks/secret-cache.ts";
export {
  announce,
  endings,
  findTargets,
  follow,
  hold,
  pushTarget,
  queuePushes,
  type Target,
  touchSecret,
  touchSecrets,
} from "./hooks/service.ts";
export { makeSecret } from "./secrets/index.ts";
export { hasConnector } from "./secrets/store.ts";
export { syncsKeptDays } from "./syncs/index.ts";
