export type { News, Push } from "./hooks/news.ts";
export {
  announce,
  endings,
  findTargets,
  follow,
  type HookSecret,
  hold,
  pushTargets,
  queuePushes,
  secretsOf,
  type Target,
  touchSecret,
  touchSecrets,
} from "./hooks/service.ts";
