export { runnerCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { createToken as createRunnerToken } from "./service.ts";
export { sharedLookups } from "./shared-lookups.ts";
export { removeByWorker as removeRunner, removeExpiredTokensAcrossOrganizations } from "./store.ts";
