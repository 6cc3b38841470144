export { discoverRequirements } from "./discover.ts";
export { DiscoveryError, type DiscoveryOptions } from "./options.ts";
export type { DiscoveryResult, Evidence } from "./result.ts";
