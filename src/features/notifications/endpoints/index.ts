export { routes } from "./routes.ts";
export { openSecret, sealedColumns } from "./sealing.ts";
export { find as findEndpoint, hold as holdEndpoint } from "./service.ts";
export {
  disable as disableEndpoint,
  listEnabled as listEnabledEndpoints,
  noteFailure,
  noteSuccess,
  removeOldSecretsOfAll,
} from "./store.ts";
