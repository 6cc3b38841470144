export {
  buildAuthorizeUrl,
  exchangeCode,
  newNonce,
  newState,
  newVerifier,
  type Peer,
  refreshTokens,
  revokeToken,
  type TokenGrant,
} from "./client.ts";
export { discover } from "./discovery.ts";
export { OAuthFailure } from "./failure.ts";
export { newKey, normalizeKey, publicJwk } from "./keys.ts";
export {
  createOpenIdProvider,
  discoverOpenId,
  exchangeForClaims,
  type OpenIdPeer,
  type OpenIdProvider,
  requestUserinfo,
} from "./openid.ts";
export {
  deregisterClient,
  type RegisteredClient,
  registerClient,
  UnusableClient,
} from "./registration.ts";
export {
  type AuthMethod,
  authMethods,
  type Credentials,
  endpoint,
  isSecureUrl,
  Server,
  type ServerInput,
  type Tokens,
} from "./server.ts";
