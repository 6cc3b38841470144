export { createClientAdapter } from "./adapter.ts";
export { isDocumentUrl, refreshDocument } from "./documents.ts";
export { ClientProblem } from "./metadata.ts";
export { describeRedirect } from "./redirects.ts";
export { prepareRegistration } from "./registration.ts";
export {
  findAcrossOrganizations as findClientAcrossOrganizations,
  recordUseAcrossOrganizations as recordClientUseAcrossOrganizations,
  removeUnusedAcrossOrganizations as removeUnusedClientsAcrossOrganizations,
} from "./store.ts";
