export type { Discovery, Evidence } from "./contract.ts";
export { DiscoveryError, discoverRequirements } from "./engine/index.ts";
export { routes } from "./routes.ts";
export { problemWithUrl } from "./url.ts";
