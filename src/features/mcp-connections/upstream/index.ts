export { isAboutAccount, type UpstreamChallenge, UpstreamError } from "./errors.ts";
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
  UpstreamResult,
  UpstreamTarget,
} from "./types.ts";
