import type { Ctx } from "../../../platform/context.ts";
import {
  createOpenIdProvider,
  discoverOpenId,
  OAuthFailure,
  type OpenIdPeer,
  type OpenIdProvider,
} from "../../../platform/oauth/index.ts";
import { defineState } from "../../../platform/state.ts";
import type { OidcRow } from "../connectors/index.ts";

interface Known {
  provider: OpenIdProvider;
  readAt: number;
}

/** Metadata is read again after this time. Everybody can start a sign-in, so not every start may cause a request. */
const freshMs = 10 * 60_000;
/** While the provider does not answer, older metadata is used for this long. */
const usableMs = 24 * 3600_000;
const maxKnown = 1_000;

export const providerCache = defineState({
  name: "metadata of single sign-on providers",
  create: () => new Map<string, Known>(),
});

/** The provider of a connector: its endpoints, or what its metadata says. */
export async function findProvider(
  ctx: Pick<Ctx, "state" | "egress">,
  connector: OidcRow,
): Promise<OpenIdProvider> {
  const { settings, orgId, id } = connector;
  if (settings.endpoints) return createOpenIdProvider({ issuer: settings.issuer, ...settings.endpoints });
  const cache = ctx.state.get(providerCache);
  const key = `${id} ${settings.issuer}`;
  const known = cache.get(key);
  const now = Date.now();
  if (known && now - known.readAt < freshMs) return known.provider;
  try {
    const provider = await discoverOpenId(ctx.egress.forOrganization(orgId), settings.issuer);
    cache.delete(key);
    const oldest = cache.size >= maxKnown ? cache.keys().next() : undefined;
    if (oldest?.value !== undefined) cache.delete(oldest.value);
    cache.set(key, { provider, readAt: now });
    return provider;
  } catch (error) {
    if (
      error instanceof OAuthFailure &&
      error.kind === "unavailable" &&
      known &&
      now - known.readAt < usableMs
    )
      return known.provider;
    throw error;
  }
}

/** How this instance authenticates at the provider, with this secret or none. */
export function createPeer(
  ctx: Pick<Ctx, "egress">,
  { orgId, settings }: OidcRow,
  provider: OpenIdProvider,
  secret: string | undefined,
): OpenIdPeer {
  const offered = provider.authMethods;
  const posts =
    offered !== undefined &&
    !offered.includes("client_secret_basic") &&
    offered.includes("client_secret_post");
  const authMethod =
    settings.authMethod ??
    (secret === undefined ? "none" : posts ? "client_secret_post" : "client_secret_basic");
  return {
    provider,
    server: provider.server,
    credentials: { clientId: settings.clientId, authMethod, secret },
    egress: ctx.egress.forOrganization(orgId),
  };
}
