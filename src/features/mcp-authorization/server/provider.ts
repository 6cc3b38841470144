import { createPrivateKey } from "node:crypto";
import Provider, { errors, interactionPolicy } from "oidc-provider";
import type { Keyring } from "../../../platform/keyring.ts";
import { newToken } from "../../../platform/secrets.ts";
import { accessTokenPrefix } from "../prefixes.ts";
import type { Adapter } from "./records.ts";
import { cookies, lifetimes, paths, type Resource } from "./rules.ts";

interface Options {
  issuer: string;
  resource: Resource;
  keyring: Keyring;
  adapter(model: string): Adapter;
  /** Whether the subject of a grant may still use it. */
  isActive(accountId: string): Promise<boolean>;
  newClientId(): string;
  newRefreshToken(): string;
  onFault(error: unknown): void;
}

export type { Provider };

export const refuseEndedGrant = (): never => {
  throw new errors.InvalidGrant("the grant has ended");
};

/** The only file that knows the library. It is loaded with the first request that needs it. */
export function createProvider({
  issuer,
  resource,
  keyring,
  adapter,
  isActive,
  newClientId,
  newRefreshToken,
  onFault,
}: Options) {
  const provider = new Provider(issuer, {
    adapter,
    routes: {
      authorization: paths.authorize,
      token: paths.token,
      revocation: paths.revoke,
      registration: paths.register,
    },
    responseTypes: ["code"],
    scopes: ["offline_access"],
    claims: {},
    clientAuthMethods: ["none"],
    clientDefaults: { id_token_signed_response_alg: "Ed25519" },
    pkce: { required: () => true },
    jwks: { keys: [deriveSigningKey(keyring)] },
    cookies: {
      keys: [keyring.derive("mcp authorization cookies")],
      names: cookies,
      short: { httpOnly: true, overwrite: true, sameSite: "lax", signed: true },
      long: { httpOnly: true, overwrite: true, sameSite: "lax", signed: true },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, idFactory: newClientId, issueRegistrationAccessToken: false },
      revocation: { enabled: true, allowedPolicy: isSameClient },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource.url,
        useGrantedResource: () => true,
        getResourceServerInfo(_: unknown, asked: string) {
          if (asked !== resource.url) throw new errors.InvalidTarget();
          return { scope: resource.scopes.join(" "), audience: resource.url, accessTokenFormat: "opaque" };
        },
      },
    },
    interactions: {
      policy: [askAlways()],
      url: (_: unknown, { uid }: { uid: string }) => `${paths.consent}/${uid}`,
    },
    // Tokens end by their own rules. The library's session lasts for one request.
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    findAccount: async (_: unknown, accountId: string) =>
      (await isActive(accountId)) ? { accountId, claims: () => ({ sub: accountId }) } : undefined,
    renderError(ctx: { body: unknown }, out: object) {
      ctx.body = out;
    },
    ttl: lifetimes,
  });
  provider.proxy = true;
  provider.on("server_error", (_, error) => onFault(error));
  provider.on("error", onFault);
  provider.AccessToken.prototype.generateTokenId = newAccessToken;
  provider.RefreshToken.prototype.generateTokenId = newRefreshToken;
  return provider;
}

/** Every authorization is a decision of a person. An earlier one is not repeated for them. */
const askAlways = () =>
  new interactionPolicy.Prompt(
    { name: "consent", requestable: true },
    new interactionPolicy.Check("consent_missing", "consent is required", "consent_required", ({ oidc }) => {
      if (oidc.result?.consent === undefined) return true;
      // The member was deactivated after the decision.
      if (!oidc.account) throw new errors.AccessDenied();
      return false;
    }),
  );

const isSameClient = (_: unknown, client: { clientId: string }, token: { clientId: string }) =>
  client.clientId === token.clientId;

/** The library needs a key to start. No ID tokens are issued, so nothing is signed with it. */
function deriveSigningKey(keyring: Keyring) {
  const header = Buffer.from("302e020100300506032b657004220420", "hex");
  const seed = Buffer.from(keyring.derive("mcp authorization signing"), "base64url");
  const key = createPrivateKey({ key: Buffer.concat([header, seed]), format: "der", type: "pkcs8" });
  return { ...key.export({ format: "jwk" }), use: "sig", alg: "Ed25519" };
}

function newAccessToken(this: { format: string }): string {
  this.format = "opaque";
  return newToken(accessTokenPrefix);
}
