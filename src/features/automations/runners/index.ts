export { runnerCredential } from "./credential.ts";
export { routes } from "./routes.ts";
export { removeExpiredTokensAcrossOrganizations } from "./store.ts";
