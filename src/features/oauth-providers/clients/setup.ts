import type { MemberCtx, OrgId, Platform } from "../../../platform/context.ts";
import {
  type AuthMethod,
  authMethods,
  type Credentials,
  discover,
  OAuthFailure,
  type Peer,
  type Server,
} from "../../../platform/oauth/index.ts";
import { findServer, type KnownProvider, knownProviders } from "../catalogue/index.ts";
import { isInternalProvider } from "../internal.ts";
import { createPlace, describeDestination } from "./sealing.ts";
import { recentSetups, setupLookups } from "./setup-lookups.ts";
import * as store from "./store.ts";

export type { ClientRow } from "./store.ts";

/** A provider as an organization sees it. */
export interface Provider {
  id: string;
  name: string;
  documentation: string | null;
  custom: boolean;
  issuer: string | null;
  scopes: readonly string[];
  optionalScopes: readonly string[];
  tenant: KnownProvider["tenant"] | null;
  authMethods: readonly AuthMethod[];
  /** When a custom provider was discovered. */
  discoveredAt: number | null;
  /** Undefined before discovery. A known provider has the server of its default tenant. */
  server: Server | undefined;
}

export interface Setup {
  provider: Provider;
  client: store.ClientRow | undefined;
  /** Changes whenever the provider or the client is changed. */
  version: string;
}

export const fromKnownProvider = (known: KnownProvider): Provider => ({
  id: known.id,
  name: known.name,
  documentation: known.documentation,
  custom: false,
  issuer: known.tenant ? null : (known.server.issuer ?? null),
  scopes: known.scopes,
  optionalScopes: known.optionalScopes,
  tenant: known.tenant ?? null,
  authMethods: known.authMethods,
  discoveredAt: null,
  server: findServer(known, null),
});

export const fromCustomProvider = (row: store.CustomRow): Provider => ({
  id: row.id,
  name: row.name,
  documentation: null,
  custom: true,
  issuer: row.issuer,
  scopes: row.scopes,
  optionalScopes: [],
  tenant: null,
  authMethods,
  discoveredAt: row.discoveredAt,
  server: row.server ?? undefined,
});

/** Undefined when the organization has no such provider, or when it is internal. */
export const findSetup = async (ctx: MemberCtx, providerId: string): Promise<Setup | undefined> =>
  isInternalProvider(providerId) ? undefined : findAnySetup(ctx, providerId);

/** Also finds the provider of an MCP connection. */
export async function findAnySetup(ctx: MemberCtx, providerId: string): Promise<Setup | undefined> {
  // Such an id cannot exist, and the database may not accept it as text.
  if (!knownProviders.has(providerId) && !/^[a-z0-9][a-z0-9-]{0,39}$/.test(providerId)) return undefined;
  const row = await findRow(ctx, { orgId: ctx.orgId, providerId });
  return row && toSetup(providerId, row);
}

/**
 * Returns what this process read a moment ago, without a statement. It may have changed: compare the version where it is
 * used. Undefined for internal providers.
 */
export function findRecentSetup({ state, orgId }: MemberCtx, providerId: string): Setup | undefined {
  if (isInternalProvider(providerId)) return undefined;
  const row = state.get(recentSetups).find({ orgId, providerId });
  return row && toSetup(providerId, row);
}

function toSetup(providerId: string, row: store.Setup): Setup | undefined {
  const known = knownProviders.get(providerId);
  if (!known && row.customName === null) return undefined;
  const provider = known
    ? fromKnownProvider(known)
    : fromCustomProvider({
        id: providerId,
        name: row.customName!,
        issuer: row.customIssuer,
        server: row.credentialsId !== null && row.hasServerOfProvider ? row.server : row.customServer,
        discoveredAt: row.discoveredAt,
        scopes: row.customScopes ?? [],
      });
  return { provider, client: row.credentialsId === null ? undefined : row, version: row.version };
}

/** A transaction reads by itself: it must see its own changes, and the embedded engine has one connection. */
async function findRow({ db, state }: MemberCtx, key: store.SetupKey): Promise<store.Setup | undefined> {
  if (db.inTransaction) return (await store.listSetupsAcrossOrganizations(db, [key]))[0];
  const row = await state.get(setupLookups)(key);
  if (row && row.credentialsId !== null) state.get(recentSetups).remember(key, row);
  return row;
}

/** The server of a client. Undefined while its tenant is missing. */
export function findServerOfClient({ providerId, tenant, server }: store.CredentialsRow): Server | undefined {
  const known = knownProviders.get(providerId);
  return known ? findServer(known, tenant) : (server ?? undefined);
}

/** The server with the resource, which is sealed when it contains a secret. */
export const openResource = (
  { keyring }: Pick<Platform, "keyring">,
  orgId: OrgId,
  row: store.CredentialsRow,
  server: Server,
): Server =>
  row.resource === null
    ? server
    : { ...server, resource: keyring.open(row.resource, createPlace(orgId, row, "resource")) };

/** The names of the fields that a client still needs before it can be used. */
export function listMissingFields(row: store.CredentialsRow): string[] {
  return [
    ...(findServerOfClient(row) ? [] : ["tenant"]),
    ...(row.authMethod.startsWith("client_secret") && row.secret === null ? ["clientSecret"] : []),
    ...(row.authMethod === "private_key_jwt" && row.privateKey === null ? ["privateKey"] : []),
  ];
}

/** The server and the client's credentials, for requests to the provider. */
export function createPeer({ keyring, egress }: Platform, orgId: OrgId, row: store.CredentialsRow): Peer {
  const server = findServerOfClient(row);
  if (!server) throw new Error("This client is not complete.");
  const opened = (sealed: string | null, column: "secret" | "private_key") =>
    sealed === null ? undefined : keyring.open(sealed, createPlace(orgId, row, column));
  const credentials: Credentials = {
    clientId: row.clientId,
    authMethod: row.authMethod,
    secret: opened(row.secret, "secret"),
    privateKey: opened(row.privateKey, "private_key"),
    keyId: row.keyId ?? undefined,
  };
  const whole = openResource({ keyring }, orgId, row, server);
  return { server: whole, credentials, egress: egress.forOrganization(orgId) };
}

const findAddress = (providerId: string, server: Server | null) =>
  describeDestination({ providerId, tenant: null, server });

const staleAfterMs = 24 * 3600_000;

/**
 * Discovers the server of a custom provider again after a day. If the issuer does not answer, the stored server is
 * used. Sends requests, so it must not run inside a transaction.
 */
export async function discoverServer(ctx: MemberCtx, provider: Provider): Promise<Provider> {
  const { issuer, discoveredAt, server } = provider;
  if (!issuer || !provider.custom) return provider;
  if (server && discoveredAt !== null && Date.now() - discoveredAt < staleAfterMs) return provider;
  try {
    const { resource, tokenAudience } = server ?? {};
    const egress = ctx.egress.forOrganization(ctx.orgId);
    const { server: read } = await discover(
      tokenAudience === undefined ? egress : egress.forAddressFrom(tokenAudience),
      issuer,
    );
    // The server of an MCP connection names no account when the connection does not ask for it.
    const { account, ...rest } = read;
    const keepsAccount = tokenAudience === undefined || server?.account !== undefined;
    const found = {
      ...rest,
      ...(keepsAccount && account ? { account } : {}),
      ...(resource === undefined ? {} : { resource }),
      ...(tokenAudience === undefined ? {} : { tokenAudience }),
    };
    // A client's secret is bound to the servers it was given for. When they change, the client keeps the old ones
    // until it is saved again.
    const moved = findAddress(provider.id, found) !== findAddress(provider.id, server ?? null);
    await store.setServer(ctx.db, ctx.orgId, provider, found, moved ? null : (server ?? null));
    return { ...provider, server: found, discoveredAt: Date.now() };
  } catch (error) {
    if (server && error instanceof OAuthFailure) return provider;
    throw error;
  }
}

/** All MCP connections have one redirect URI, because the client metadata document of the instance lists it. */
export const buildRedirectUri = (publicUrl: string, providerId: string) =>
  isInternalProvider(providerId)
    ? `${publicUrl}/v1/mcp-connections/connect/callback`
    : `${publicUrl}/v1/oauth-providers/${providerId}/connect/callback`;
