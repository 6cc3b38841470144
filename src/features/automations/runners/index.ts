export { routes } from "./routes.ts";
export { resolveRunner, runnerPrefix } from "./service.ts";
export { removeExpiredTokensOfAll, touchRunnersOfAll } from "./store.ts";
