export type { ServerRequest } from "./exchange.ts";
export { sealedRecords } from "./records.ts";
export { cookies, filterScopes, findResource, lifetimes, paths } from "./rules.ts";
export { authorizationServer, type Decision } from "./server.ts";
export { removeExpiredAcrossOrganizations as removeExpiredRecordsAcrossOrganizations } from "./store.ts";
