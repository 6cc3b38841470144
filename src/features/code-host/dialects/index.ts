export { bitbucketEvents } from "./bitbucket.ts";
export {
  type Dialect,
  detectDialect,
  dialects,
  listCodeHosts,
  readDeliveryId,
  readEventName,
  selectHeaders,
} from "./dialect.ts";
export type { CodeHostEvent, IgnoredEvent } from "./event.ts";
export { githubEvents } from "./github.ts";
export { parseAnySize } from "./parse.ts";
export type { ParsedDelivery } from "./payload.ts";
export { createProof, findMissingProof, type RefusalReason, refusalReasons } from "./signature.ts";
