import type { Ctx, OrgId } from "../../../platform/context.ts";
import {
  createOpenIdProvider,
  discoverOpenId,
  OAuthFailure,
  type OpenIdPeer,
  type OpenIdProvider,
} from "../../../platform/oauth/index.ts";
import { defineState } from "../../../platform/state.ts";
import type { OidcRow } from "../connectors/index.ts";

interface Entry {
  orgId: OrgId;
  known?: { provider: OpenIdProvider; readAt: number };
  failed?: { error: OAuthFailure; at: number } | undefined;
  /** Requests that arrive while the metadata is read wait for the same reply. */
  reading?: Promise<OpenIdProvider> | undefined;
}

/** Metadata is read again after this time. Everybody can start a sign-in, so not every start may cause a request. */
const freshMs = 10 * 60_000;
/** After a failure the provider is not asked again for this long. */
const failedMs = 30_000;
/** While the provider does not answer, older metadata is used for this long. */
const usableMs = 24 * 3600_000;
const maxEntries = 1_000;
/** No organization can push the metadata of others out of the cache. */
const maxPerOrganization = 20;

export type ProviderCache = Map<string, Entry>;

export const providerCache = defineState({
  name: "metadata of single sign-on providers",
  create: (): ProviderCache => new Map(),
});

/** The entry of a connector. An organization with many connectors loses its own oldest entry. */
export function openEntry(cache: ProviderCache, { orgId, id, settings }: OidcRow): Entry {
  const key = `${id} ${settings.issuer}`;
  const found = cache.get(key);
  if (found) return found;
  const own = [...cache].flatMap(([each, entry]) => (entry.orgId === orgId ? each : []));
  const [oldest] = own.length >= maxPerOrganization ? own : cache.size >= maxEntries ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  const entry: Entry = { orgId };
  cache.set(key, entry);
  return entry;
}

/** The provider of a connector: its endpoints, or what its metadata says. `readsAgain`: the cache is not used. */
export async function findProvider(
  ctx: Pick<Ctx, "state" | "egress">,
  connector: OidcRow,
  { readsAgain = false } = {},
): Promise<OpenIdProvider> {
  const { settings } = connector;
  if (settings.endpoints) return createOpenIdProvider({ issuer: settings.issuer, ...settings.endpoints });
  const entry = openEntry(ctx.state.get(providerCache), connector);
  const now = Date.now();
  if (!readsAgain) {
    if (entry.known && now - entry.known.readAt < freshMs) return entry.known.provider;
    if (entry.failed && now - entry.failed.at < failedMs) return useEarlier(entry, entry.failed.error, now);
  }
  entry.reading ??= readProvider(ctx, connector, entry).finally(() => {
    entry.reading = undefined;
  });
  try {
    return await entry.reading;
  } catch (error) {
    if (readsAgain) throw error;
    return useEarlier(entry, error, now);
  }
}

async function readProvider(
  { egress }: Pick<Ctx, "egress">,
  { orgId, settings }: OidcRow,
  entry: Entry,
): Promise<OpenIdProvider> {
  try {
    const provider = await discoverOpenId(egress.forOrganization(orgId), settings.issuer);
    entry.known = { provider, readAt: Date.now() };
    entry.failed = undefined;
    return provider;
  } catch (error) {
    if (error instanceof OAuthFailure) entry.failed = { error, at: Date.now() };
    throw error;
  }
}

/** Metadata that was read before is used while the provider does not answer. A wrong answer is not ignored. */
function useEarlier({ known }: Entry, error: unknown, now: number): OpenIdProvider {
  const isUnavailable = error instanceof OAuthFailure && error.kind === "unavailable";
  if (!known || !isUnavailable || now - known.readAt >= usableMs) throw error;
  return known.provider;
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
