export { scimCredential, scimPrefix } from "./credential.ts";
export { routes } from "./routes.ts";
export { removeExpiredTokens } from "./service.ts";
export { type Connector, find as findConnector, isValidToken } from "./store.ts";
