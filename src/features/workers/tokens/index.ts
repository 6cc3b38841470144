export { createCollectTime } from "./collect-time.ts";
export { WorkerToken } from "./contract.ts";
export { tokenLookups, workerCredential } from "./credential.ts";
export { addToken, overlapHours, recheckToken, requireSelf } from "./service.ts";
export {
  expire as expireTokens,
  list as listTokens,
  removeExpiredTokensAcrossOrganizations,
  type WorkerId,
} from "./store.ts";
