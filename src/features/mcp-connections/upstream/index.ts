export { isAboutAccount, type UpstreamChallenge, UpstreamError, type UpstreamErrorKind } from "./errors.ts";
export { sessionPool } from "./pool.ts";
export {
  callUpstream,
  endUpstreamSessions,
  findListChange,
  listUpstreamTools,
  retireUpstreamSessions,
} from "./service.ts";
export type {
  UpstreamCall,
  UpstreamCallbacks,
  UpstreamListing,
  UpstreamOptions,
  UpstreamPlatform,
  UpstreamResult,
  UpstreamTarget,
} from "./types.ts";
