/** Finds out how an MCP server must be connected. The guard for outgoing requests is `@signalbox/discovery/egress`. */
export { decodePart, redactUrl } from "./engine/address.ts";
export type { RequirementCode, WarningCode } from "./engine/codes.ts";
export { discover } from "./engine/discover.ts";
export {
  DiscoveryError,
  type DiscoveryOptions,
  type DiscoveryOutcome,
  type Limits,
} from "./engine/options.ts";
export type {
  AuthenticationSection,
  AuthorizationServer,
  DiscoveryProgress,
  DiscoveryResult,
  DiscoveryStatus,
  Evidence,
  RegistrationMethod,
  Requirement,
  Tool,
  ToolsSection,
  Warning,
} from "./engine/result.ts";
export { type Challenges, readChallenges } from "./engine/transport/challenge.ts";
export { findUrlProblem } from "./engine/url.ts";
