export { routes } from "./routes.ts";
export { openSecret, sealedColumns } from "./sealing.ts";
export { find as findEndpoint, lock as lockEndpoint } from "./service.ts";
export {
  disable as disableEndpoint,
  listEnabled as listEnabledEndpoints,
  recordFailure,
  recordSuccess,
  removeOldSecretsAcrossOrganizations,
} from "./store.ts";
