export { type UpstreamChallenge, UpstreamError, type UpstreamErrorKind } from "./errors.ts";
export type {
  UpstreamCall,
  UpstreamCallbacks,
  UpstreamListing,
  UpstreamOptions,
  UpstreamPlatform,
  UpstreamResult,
  UpstreamTarget,
} from "./types.ts";
