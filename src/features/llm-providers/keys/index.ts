export { apiKey } from "./contract.ts";
export { createHeaders } from "./request.ts";
export { routes } from "./routes.ts";
export { findOrigin, openKey, sealedKeys, sealKey } from "./sealing.ts";
export { addKey, noUsableKey } from "./service.ts";
export {
  countAll as countKeys,
  findUsable as findUsableKey,
  recordIssue,
  removeRetiredAcrossOrganizations,
} from "./store.ts";
