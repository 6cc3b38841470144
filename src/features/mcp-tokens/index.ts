export { jobs } from "./jobs.ts";
export { routes } from "./routes.ts";
export { mcpPrefix, resolveMcpToken } from "./service.ts";
export { removeMcpTokensOfUser, touchMcpTokensOfAll } from "./store.ts";
