import type { Ctx } from "../../../platform/context.ts";
import {
  buildAuthorizeUrl,
  exchangeForClaims,
  OAuthFailure,
  type OpenIdPeer,
  requestUserinfo,
} from "../../../platform/oauth/index.ts";
import { buildUrl, type OidcRow, openClientSecrets } from "../connectors/index.ts";
import { type Proof, readEmail, readGroups } from "../people/index.ts";
import type { Secrets } from "./attempts.ts";
import { createPeer, findProvider } from "./provider.ts";

interface StartRequest {
  state: string;
  secrets: Secrets;
  loginHint: string | undefined;
  /** The person must sign in at the provider now, whatever session there is. */
  signsInAgain: boolean;
  /** A test reads the metadata of the provider again. */
  readsAgain: boolean;
}

/** A year. It excludes nobody, but with any `max_age` the provider must say when the person signed in. */
const longAge = 365 * 24 * 3600;

export async function buildOidcUrl(
  ctx: Ctx,
  connector: OidcRow,
  { state, secrets, loginHint, signsInAgain, readsAgain }: StartRequest,
): Promise<string> {
  const provider = await findProvider(ctx, connector, { readsAgain });
  const { clientId, scopes } = connector.settings;
  const { nonce = "", verifier = "", maxAgeSeconds } = secrets;
  return buildAuthorizeUrl(provider.server, {
    clientId,
    redirectUri: buildUrl(ctx.config.publicUrl, connector.id, "callback"),
    state,
    verifier,
    nonce,
    scopes,
    parameters: {
      ...(signsInAgain ? { prompt: "login" } : {}),
      max_age: String(signsInAgain ? 0 : (maxAgeSeconds ?? longAge)),
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    },
  });
}

interface Return {
  parameters: URLSearchParams;
  state: string;
  secrets: Secrets;
  /** The request named it, so the provider must say when the person signed in (OpenID Connect Core §2). */
  maxAgeSeconds: number | undefined;
  readsAgain: boolean;
}

/** Exchanges what the browser brought back for the claims of the person. Throws an `OAuthFailure`. */
export async function readOidcProof(ctx: Ctx, connector: OidcRow, back: Return): Promise<Proof> {
  const provider = await findProvider(ctx, connector, back);
  const secrets = openClientSecrets(ctx, connector, Date.now());
  const redirectUri = buildUrl(ctx.config.publicUrl, connector.id, "callback");
  const { nonce = "", verifier = "" } = back.secrets;
  const redirect = { ...back, redirectUri, nonce, verifier };
  let peer = createPeer(ctx, connector, provider, secrets[0]);
  let grant: Awaited<ReturnType<typeof exchangeForClaims>>;
  try {
    grant = await exchangeForClaims(peer, redirect);
  } catch (error) {
    // The secret was rotated here, and not yet at the provider. Keycloak calls a wrong secret `unauthorized_client`.
    const isRefused =
      error instanceof OAuthFailure &&
      (error.code === "invalid_client" || error.code === "unauthorized_client");
    if (!isRefused || secrets[1] === undefined) throw error;
    peer = createPeer(ctx, connector, provider, secrets[1]);
    grant = await exchangeForClaims(peer, redirect);
  }
  const more = await findMoreClaims(peer, connector, grant);
  // Only the signed ID token says when the person signed in.
  return toProof(connector, { ...more, auth_time: undefined, ...grant.claims });
}

/** Many providers put address and groups only into the userinfo reply. */
async function findMoreClaims(
  peer: OpenIdPeer,
  { settings: { claims: names }, groupMappings }: OidcRow,
  grant: Awaited<ReturnType<typeof exchangeForClaims>>,
): Promise<Record<string, unknown>> {
  const needed = [names.email, names.name, ...(groupMappings.length > 0 ? [names.groups] : [])];
  return needed.every((name) => Object.hasOwn(grant.claims, name)) ? {} : requestUserinfo(peer, grant);
}

function toProof(
  { settings: { claims: names } }: OidcRow,
  claims: Record<string, unknown> & { sub: string },
): Proof {
  const read = (name: string) => (Object.hasOwn(claims, name) ? claims[name] : undefined);
  const { auth_time: authTime, email_verified: verified } = claims;
  const name = read(names.name);
  return {
    claims,
    identity: {
      subject: claims.sub,
      email: readEmail(read(names.email)),
      // Some providers send it as text.
      emailVerified: verified === undefined ? undefined : verified === true || verified === "true",
      name: typeof name === "string" ? name : undefined,
      groups: hasGroupsElsewhere(claims, names.groups) ? "unknown" : readGroups(read(names.groups)),
      authenticatedAt: typeof authTime === "number" ? authTime * 1000 : undefined,
    },
  };
}

/** Entra ID sends a reference instead of the groups when there are too many. They must not look like none. */
function hasGroupsElsewhere(claims: Record<string, unknown>, name: string): boolean {
  if (Object.hasOwn(claims, name)) return false;
  const { _claim_names: elsewhere, hasgroups } = claims;
  return (
    hasgroups === true ||
    (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, name))
  );
}
