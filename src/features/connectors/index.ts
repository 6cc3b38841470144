import { defineRoom } from "../../platform/rooms.ts";
import type { Permission } from "../permissions/index.ts";
import { sealedAccess } from "./access/index.ts";
import { routes } from "./routes.ts";
import { sealedSecrets } from "./secrets/index.ts";
import { heal } from "./sweep/index.ts";
import { tidy, work } from "./syncs/index.ts";

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

export const room = defineRoom({
  name: "connectors",
  tags: [
    { name: "Connectors", description: "Repositories that templates follow." },
    { name: "Connector Syncs", description: "Making templates equal to what a repository holds." },
  ],
  routes,
  jobs: [work, heal, tidy],
  permissions: ["connectors:read", "connectors:manage"] satisfies Permission[],
  sealedColumns: [sealedAccess, sealedSecrets],
});
