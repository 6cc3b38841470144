import type { MemberCtx } from "../../platform/context.ts";
import { conflict, invalidField, invalidRequest, notFound } from "../../platform/errors.ts";
import { defineCursor, type PageQuery } from "../../platform/http/index.ts";
import { Server } from "../../platform/oauth/index.ts";
import { takeQuota } from "../quotas/index.ts";
import { knownProviders } from "./catalogue/index.ts";
import {
  buildRedirectUri,
  findSetup,
  fromCustomProvider,
  fromKnownProvider,
  type Provider as Known,
  listConfigured,
  removeClient,
} from "./clients/index.ts";
import { supersede } from "./connect/index.ts";
import { service as connections, countUsable } from "./connections/index.ts";
import type { NewProvider, Provider } from "./contract.ts";
import { createActor, recordEvent } from "./events/index.ts";
import { isInternalProvider } from "./internal.ts";
import * as store from "./store.ts";

type ProviderState = Pick<Provider, "configured" | "connectionMode" | "connections">;

const toProvider = ({ config }: MemberCtx, provider: Known, facts: ProviderState): Provider => ({
  id: provider.id,
  name: provider.name,
  documentation: provider.documentation,
  custom: provider.custom,
  issuer: provider.issuer,
  authorizationEndpoint: provider.server?.authorizationEndpoint ?? null,
  tokenEndpoint: provider.server?.tokenEndpoint ?? null,
  revocable: provider.server ? provider.server.revocation !== undefined : null,
  refresh: provider.server?.refresh ?? "rotating",
  scopes: [...provider.scopes],
  optionalScopes: [...provider.optionalScopes],
  tenant: provider.tenant
    ? {
        label: provider.tenant.label,
        example: provider.tenant.example,
        ...(provider.tenant.default ? { default: provider.tenant.default } : {}),
      }
    : null,
  tokenEndpointAuthMethods: [...provider.authMethods],
  redirectUri: buildRedirectUri(config.publicUrl, provider.id),
  ...facts,
});

export async function list(
  ctx: MemberCtx,
  { configured, ...query }: PageQuery & { configured?: string | undefined },
) {
  const [custom, clients, usable] = await Promise.all([
    store.list(ctx.db, ctx.orgId),
    listConfigured(ctx.db, ctx.orgId),
    countUsable(ctx.db, ctx.orgId, ctx.member.id),
  ]);
  const modes = new Map(clients.map((row) => [row.providerId, row.connectionMode]));
  const counts = new Map(usable.map((row) => [row.providerId, row.connections]));
  const after = providerCursor.read(query, "");
  const found = [...[...knownProviders.values()].map(fromKnownProvider), ...custom.map(fromCustomProvider)]
    .filter(({ id }) => id > after && (configured === undefined || modes.has(id) === (configured === "true")))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const items = found.slice(0, query.limit).map((provider) =>
    toProvider(ctx, provider, {
      configured: modes.has(provider.id),
      connectionMode: modes.get(provider.id) ?? null,
      connections: counts.get(provider.id) ?? 0,
    }),
  );
  const last = items.at(-1);
  const more = found.length > items.length && last;
  return { items, nextCursor: more ? providerCursor.write(last.id) : null };
}

/** Providers have readable ids, such as `github`. */
const providerCursor = defineCursor<string>({
  write: (id) => `provider ${id}`,
  read: (text) => /^provider ([a-z0-9-]{1,40})$/.exec(text)?.[1],
});

export async function read(ctx: MemberCtx, providerId: string): Promise<{ provider: Provider }> {
  const setup = await findSetup(ctx, providerId);
  if (!setup) throw notFound("oauth_provider");
  const usable = await countUsable(ctx.db, ctx.orgId, ctx.member.id);
  const facts = {
    configured: setup.client !== undefined,
    connectionMode: setup.client?.connectionMode ?? null,
    connections: usable.find((row) => row.providerId === providerId)?.connections ?? 0,
  };
  return { provider: toProvider(ctx, setup.provider, facts) };
}

export async function create(ctx: MemberCtx, body: NewProvider): Promise<{ provider: Provider }> {
  const server = createServer(ctx, body);
  if (isInternalProvider(body.id))
    throw invalidField(["id"], "Ids of this form are reserved. Choose another id.");
  if (knownProviders.has(body.id)) throw providerExists(body.id);
  await ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, ctx.orgId, "oauth_providers");
    const { id, name, issuer = null, scopes } = body;
    const row = { id, name, issuer, server, scopes, createdBy: ctx.member.id };
    if ((await store.insert(tx, ctx.orgId, row)) === 0) throw providerExists(id);
    await recordEvent(
      tx,
      ctx.orgId,
      "provider_added",
      createActor(ctx),
      { providerId: id },
      { name, issuer },
    );
  });
  return read(ctx, body.id);
}

const providerExists = (id: string) =>
  conflict("provider_exists", `There is a provider ${id}. Choose another id.`);

/** Null when the issuer must be discovered. */
function createServer({ egress }: MemberCtx, body: NewProvider): Server | null {
  const { issuer, authorizationEndpoint, tokenEndpoint, revocationEndpoint, userinfoEndpoint } = body;
  const given = { authorizationEndpoint, tokenEndpoint, revocationEndpoint, userinfoEndpoint };
  const byEndpoints = Object.values(given).some((one) => one !== undefined);
  if ((issuer !== undefined) === byEndpoints) {
    throw invalidRequest([
      {
        message: "Give an issuer, or authorizationEndpoint and tokenEndpoint, and not both.",
        path: ["issuer"],
      },
    ]);
  }
  for (const [field, url] of Object.entries({ issuer, ...given })) {
    const refusal = url === undefined ? undefined : egress.refusal(url);
    if (refusal) throw invalidField([field], refusal);
  }
  if (issuer !== undefined) return null;
  for (const field of ["authorizationEndpoint", "tokenEndpoint"] as const) {
    if (given[field] === undefined) throw invalidField([field], "This is required when there is no issuer.");
  }
  const names = ["email", "preferred_username", "name", "login", "username"];
  return Server.parse({
    authorizationEndpoint,
    tokenEndpoint,
    ...(revocationEndpoint ? { revocation: { endpoint: revocationEndpoint } } : {}),
    ...(userinfoEndpoint
      ? { account: { from: "userinfo", endpoint: userinfoEndpoint, subject: "sub", names } }
      : {}),
    ...(body.scopeSeparator ? { scopeSeparator: body.scopeSeparator } : {}),
    ...(body.authorizeParameters ? { authorizeParameters: body.authorizeParameters } : {}),
    ...(body.reusableRefreshTokens ? { refresh: "reusable" } : {}),
  });
}

export async function remove(ctx: MemberCtx, providerId: string, confirmed: boolean): Promise<void> {
  const setup = await findSetup(ctx, providerId);
  if (!setup) throw notFound("oauth_provider");
  if (!setup.provider.custom) {
    throw conflict(
      "provider_built_in",
      "Only the organization's own providers can be removed. Remove its client.",
    );
  }
  await ctx.db.transaction(async (tx) => {
    // The provider first: this waits for a client that is being saved, which is then removed too.
    if ((await store.remove(tx, ctx.orgId, providerId)) === 0) throw notFound("oauth_provider");
    await removeClient(ctx, tx, providerId, confirmed);
    await recordEvent(tx, ctx.orgId, "provider_removed", createActor(ctx), { providerId });
  });
}

export async function status(ctx: MemberCtx, providerId: string) {
  const setup = await findSetup(ctx, providerId);
  if (!setup) throw notFound("oauth_provider");
  const found = await connections.readStatus(ctx, providerId);
  return { providerId, configured: setup.client !== undefined, ...found };
}

export async function disconnect(
  ctx: MemberCtx,
  providerId: string,
  wanted: { connectionId?: string | undefined; account?: string | undefined },
) {
  if (!(await findSetup(ctx, providerId))) throw notFound("oauth_provider");
  const { connectionId, account: label = null } = wanted;
  const ended = await ctx.db.transaction(async (tx) => {
    // A connection that is named by its id ends alone: an account with another label may be connecting.
    if (connectionId === undefined)
      await supersede(tx, ctx.orgId, { memberId: ctx.member.id, providerId, label });
    return connections.disconnect(ctx, tx, providerId, wanted);
  });
  if (!ended)
    throw connections.connectionNotFound(
      connectionId === undefined
        ? "You have no such connection there. If you had begun to connect one, that was cancelled."
        : "You have no such connection there. GET …/status lists yours.",
    );
  return ended;
}
