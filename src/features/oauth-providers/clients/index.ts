export { connectionModes, endConnections, scopeList, scopeToken } from "./contract.ts";
export { routes } from "./routes.ts";
export { type Destination, describeDestination, destinationFields, sealedCredentials } from "./sealing.ts";
export { clientNotConfigured, removeClient } from "./service.ts";
export {
  buildRedirectUri,
  type ClientRow,
  createPeer,
  discoverServer,
  findServerOfClient,
  findSetup,
  fromCustomProvider,
  fromKnownProvider,
  listMissingFields,
  type Provider,
} from "./setup.ts";
export {
  type CustomRow,
  findCredentials,
  listConfigured,
  removeUnusedAcrossOrganizations as removeUnusedCredentialsAcrossOrganizations,
} from "./store.ts";
