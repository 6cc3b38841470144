export { runnerCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { sharedLookups } from "./shared-lookups.ts";
export { removeExpiredTokensAcrossOrganizations } from "./store.ts";
