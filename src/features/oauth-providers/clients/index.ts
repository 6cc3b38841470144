export { connectionModes, endConnections, scopeList, scopeToken } from "./contract.ts";
export { routes } from "./routes.ts";
export { addressOf, type Destination, destinationFields, sealedCredentials } from "./sealing.ts";
export { notConfigured, removeClient } from "./service.ts";
export {
  type ClientRow,
  discovered,
  findSetup,
  fromCustom,
  fromKnown,
  missingOf,
  type Provider,
  peerOf,
  redirectUri,
  serverFor,
} from "./setup.ts";
export {
  type CustomRow,
  findCredentials,
  listConfigured,
  removeUnusedOfAll as removeUnusedCredentialsOfAll,
} from "./store.ts";
