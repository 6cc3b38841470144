export { connectionModes, endConnections, scopeList, scopeToken } from "./contract.ts";
export { routes } from "./routes.ts";
export {
  createPlace,
  type Destination,
  describeDestination,
  destinationFields,
  sealedCredentials,
} from "./sealing.ts";
export { clientNotConfigured, removeClient } from "./service.ts";
export {
  buildRedirectUri,
  type ClientRow,
  createPeer,
  discoverServer,
  findAnySetup,
  findRecentSetup,
  findServerOfClient,
  findSetup,
  fromCustomProvider,
  fromKnownProvider,
  listMissingFields,
  openResource,
  type Provider,
  type Setup,
} from "./setup.ts";
export { recentSetups, setupLookups } from "./setup-lookups.ts";
export {
  type CustomRow,
  findCredentials,
  listConfigured,
  lock as lockClient,
  remove as removeClientRow,
  removeUnusedAcrossOrganizations as removeUnusedCredentialsAcrossOrganizations,
  save as saveClientRow,
  saveCredentials,
  setupVersion,
} from "./store.ts";
