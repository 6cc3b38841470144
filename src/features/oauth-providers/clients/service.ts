import type { MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, invalidField, notFound, Refusal } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import {
  type AuthMethod,
  newKey,
  normalizeKey,
  OAuthFailure,
  publicJwk,
} from "../../../platform/oauth/index.ts";
import { countLive, endLiveConnections } from "../connections/index.ts";
import { createActor, recordEvent } from "../events/index.ts";
import { queueRevocation } from "../revocation-queue.ts";
import type { Client, SaveClient } from "./contract.ts";
import { createPlace, describeDestination } from "./sealing.ts";
import { buildRedirectUri, discoverServer, findSetup, listMissingFields, type Provider } from "./setup.ts";
import * as store from "./store.ts";

export const clientNotConfigured = ({ id, name }: Pick<Provider, "id" | "name">) =>
  new Refusal(404, {
    error: "client_not_configured",
    message: `This organization has no OAuth client for ${name} yet. An admin can add one in the console under Accounts, Providers, or with PUT /v1/oauth-providers/${id}/client.`,
  });

export async function read(ctx: MemberCtx, providerId: string): Promise<{ client: Client }> {
  const setup = await findSetup(ctx, providerId);
  if (!setup) throw notFound("oauth_provider");
  if (!setup.client) throw clientNotConfigured(setup.provider);
  return { client: await toClient(ctx, ctx.db, setup.client) };
}

async function toClient(
  { orgId, config, keyring }: MemberCtx,
  db: Db,
  row: store.ClientRow,
): Promise<Client> {
  const missing = listMissingFields(row);
  const key = row.privateKey && keyring.open(row.privateKey, createPlace(orgId, row, "private_key"));
  return {
    providerId: row.providerId,
    clientId: row.clientId,
    redirectUri: buildRedirectUri(config.publicUrl, row.providerId),
    tokenEndpointAuthMethod: row.authMethod,
    hasSecret: row.secret !== null,
    publicKey: key ? publicJwk(key, row.keyId ?? undefined) : null,
    tenant: row.tenant,
    scopes: row.scopes,
    optionalScopes: row.optionalScopes,
    connectionMode: row.connectionMode,
    complete: missing.length === 0,
    missing,
    connections: await countLive(db, orgId, { providerId: row.providerId }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export async function save(
  ctx: MemberCtx,
  providerId: string,
  body: SaveClient,
): Promise<{ client: Client }> {
  const setup = await findSetup(ctx, providerId);
  if (!setup) throw notFound("oauth_provider");
  const provider = await requireReachable(ctx, setup.provider);
  checkFields(provider, body);
  return ctx.db.transaction(async (tx) => {
    if (provider.custom && !(await store.lockProvider(tx, ctx.orgId, providerId)))
      throw notFound("oauth_provider");
    const before = await store.lock(tx, ctx.orgId, providerId);
    const same =
      before?.clientId === body.clientId &&
      before.tenant === (body.tenant ?? before.tenant) &&
      // A secret that was given for one server is not sent to another.
      describeDestination(before) ===
        describeDestination({ ...before, server: provider.custom ? (provider.server ?? null) : null });
    const credentials = composeCredentials(ctx, provider, body, same ? before : undefined, before);
    const mode = body.connectionMode ?? before?.connectionMode ?? "personal";
    if (before) {
      const all = !same || body.endConnections;
      const narrowed = mode === "organization" && before.connectionMode === "personal";
      const reach = all ? { providerId } : { providerId, shared: false };
      if (all || narrowed) await endConnections(ctx, tx, reach, body.endConnections);
    }
    await store.saveCredentials(tx, ctx.orgId, credentials);
    await store.save(tx, ctx.orgId, {
      providerId,
      credentialsId: credentials.credentialsId,
      scopes: body.scopes ?? before?.scopes ?? provider.scopes,
      optionalScopes: body.optionalScopes ?? before?.optionalScopes ?? provider.optionalScopes,
      connectionMode: mode,
      updatedBy: ctx.member.id,
    });
    await recordEvent(
      tx,
      ctx.orgId,
      "client_saved",
      createActor(ctx),
      { providerId },
      {
        clientId: body.clientId,
        authMethod: credentials.authMethod,
        newSecret: body.clientSecret !== undefined || body.privateKey !== undefined,
      },
    );
    const row = await store.lock(tx, ctx.orgId, providerId);
    return { client: await toClient(ctx, tx, row!) };
  });
}

export async function remove(ctx: MemberCtx, providerId: string, confirmed: boolean): Promise<void> {
  const setup = await findSetup(ctx, providerId);
  if (!setup) throw notFound("oauth_provider");
  await ctx.db.transaction(async (tx) => {
    if (!(await removeClient(ctx, tx, providerId, confirmed))) throw clientNotConfigured(setup.provider);
  });
}

/** Returns false when there was no client. */
export async function removeClient(
  ctx: MemberCtx,
  tx: Db,
  providerId: string,
  confirmed: boolean,
): Promise<boolean> {
  if (!(await store.lock(tx, ctx.orgId, providerId))) return false;
  await endConnections(ctx, tx, { providerId }, confirmed);
  await store.remove(tx, ctx.orgId, providerId);
  await recordEvent(tx, ctx.orgId, "client_removed", createActor(ctx), { providerId });
  return true;
}

async function endConnections(
  ctx: MemberCtx,
  tx: Db,
  reach: { providerId: string; shared?: boolean },
  confirmed: boolean,
): Promise<void> {
  const connections = await countLive(tx, ctx.orgId, reach);
  if (connections === 0) return;
  if (!confirmed) {
    throw conflict(
      "connections_would_end",
      `${connections} ${connections === 1 ? "connection was" : "connections were"} made with this client and would end. Send endConnections: true to go on.`,
      { connections },
    );
  }
  await endLiveConnections(tx, ctx.orgId, reach, "client_changed", createActor(ctx));
  await queueRevocation(ctx, tx);
}

async function requireReachable(ctx: MemberCtx, provider: Provider): Promise<Provider> {
  try {
    return await discoverServer(ctx, provider);
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    throw invalidField(["issuer"], `The issuer ${provider.issuer} could not be read: ${error.message}`);
  }
}

function checkFields({ id, name, tenant, authMethods, server }: Provider, body: SaveClient): void {
  if (body.tenant !== undefined) {
    if (!tenant) throw invalidField(["tenant"], `${name} has no tenants.`);
    if (!new RegExp(tenant.pattern).test(body.tenant)) {
      throw invalidField(["tenant"], `${tenant.label}, such as ${tenant.example}.`);
    }
  }
  const method = body.tokenEndpointAuthMethod;
  if (method && !authMethods.includes(method)) {
    throw invalidField(["tokenEndpointAuthMethod"], `${name} takes ${authMethods.join(", ")}.`);
  }
  if (body.privateKey !== undefined && !normalizeKey(body.privateKey)) {
    throw invalidField(
      ["privateKey"],
      "This is no private key in PEM that can sign: RSA of 2048 bits or more, P-256, P-384, P-521 or Ed25519.",
    );
  }
  const separator = server?.scopeSeparator ?? " ";
  for (const field of ["scopes", "optionalScopes"] as const) {
    const at = body[field]?.findIndex((scope) => scope.includes(separator)) ?? -1;
    if (at >= 0) throw invalidField([field, at], `${id} separates scopes by "${separator}".`);
  }
}

/** Builds the row to write. `kept` is the stored row of the same client. */
function composeCredentials(
  { keyring, orgId }: MemberCtx,
  provider: Provider,
  body: SaveClient,
  kept: store.ClientRow | undefined,
  before: store.ClientRow | undefined,
): store.CredentialsRow {
  const credentialsId = kept?.credentialsId ?? newId("ocr");
  const authMethod = chooseAuthMethod(provider, body, kept);
  const usesSecret = authMethod.startsWith("client_secret");
  const destination = {
    credentialsId,
    providerId: provider.id,
    tenant: body.tenant ?? before?.tenant ?? provider.tenant?.default ?? null,
    server: provider.custom ? (provider.server ?? null) : null,
  };
  const seal = (plain: string, column: "secret" | "private_key") =>
    keyring.seal(plain, createPlace(orgId, destination, column));
  const secret = body.clientSecret === undefined ? (kept?.secret ?? null) : seal(body.clientSecret, "secret");
  const key = body.privateKey === undefined ? undefined : normalizeKey(body.privateKey);
  const privateKey = key ? seal(key, "private_key") : (kept?.privateKey ?? seal(newKey(), "private_key"));
  return {
    ...destination,
    clientId: body.clientId,
    authMethod,
    secret: usesSecret ? secret : null,
    privateKey: authMethod === "private_key_jwt" ? privateKey : null,
    keyId: body.keyId ?? kept?.keyId ?? null,
    resource: null,
  };
}

function chooseAuthMethod(
  provider: Provider,
  body: SaveClient,
  kept: store.ClientRow | undefined,
): AuthMethod {
  if (body.tokenEndpointAuthMethod) return body.tokenEndpointAuthMethod;
  if (body.privateKey !== undefined) return "private_key_jwt";
  const before = kept?.authMethod;
  const fits = body.clientSecret === undefined || before?.startsWith("client_secret");
  return before && fits ? before : provider.authMethods[0]!;
}
