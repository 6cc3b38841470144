export { modelList } from "./contract.ts";
export { routes } from "./routes.ts";
export { checkProviderIds, listWorkerGrants, setWorkerGrants } from "./service.ts";
export { findUseObstacle, isProviderId } from "./usable.ts";
