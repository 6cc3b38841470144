export { routes } from "./routes.ts";
export { resolveRunner, runnerPrefix } from "./service.ts";
export { sharedLookups } from "./shared-lookups.ts";
export { removeExpiredTokensOfAll, removeRunnerTokensOfUser, touchRunnersOfAll } from "./store.ts";
