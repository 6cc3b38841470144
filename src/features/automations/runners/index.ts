export { routes } from "./routes.ts";
export { resolveRunner, runnerPrefix } from "./service.ts";
export { removeExpiredTokens, touchRunners } from "./store.ts";
