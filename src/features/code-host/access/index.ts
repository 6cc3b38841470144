export { type Credentials, withAuthorization } from "./authorize.ts";
export { Access, AccessInput, decimalId } from "./contract.ts";
export { installationTokens } from "./github-app.ts";
export { type SealedAccess, sealAccess, sealedAccess } from "./sealing.ts";
