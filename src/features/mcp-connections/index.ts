export {
  DiscoveryError,
  type DiscoveryResult,
  discoverRequirements,
  type Evidence,
} from "./engine/index.ts";
export { routes } from "./routes.ts";
export { problemWithUrl } from "./url.ts";
