import type { Ctx, MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import type { AuthMethod, Server } from "../../../platform/oauth/index.ts";
import {
  createPlace,
  lockClient,
  removeClientRow,
  saveClientRow,
  saveCredentials,
} from "../clients/index.ts";
import {
  claimWaiting,
  handleCallback,
  type McpStart,
  type OnConnected,
  prepareConfirmation,
  start,
  supersede,
} from "../connect/index.ts";
import { defaultLabel, endLiveConnections } from "../connections/index.ts";
import { createActor } from "../events/index.ts";
import { toMcpConnectionId, toProviderId } from "../internal.ts";
import { queueRevocation } from "../revocation-queue.ts";
import * as store from "../store.ts";

export interface McpProvider {
  mcpConnectionId: string;
  name: string;
  /** `tokenAudience` must be set: tokens are sealed for it. */
  server: Server & { tokenAudience: string };
  clientId: string;
  authMethod: AuthMethod;
  clientSecret: string | undefined;
  scopes: readonly string[];
  shared: boolean;
  /** The resource, when its address contains a secret. It is stored sealed, and not with the server. */
  secretResource: string | undefined;
}

/** Adds the provider and the client of an MCP connection, in the transaction that saves the connection. */
export async function saveMcpProvider(ctx: MemberCtx, tx: Db, made: McpProvider): Promise<string> {
  const providerId = toProviderId(made.mcpConnectionId);
  const { orgId, keyring, member } = ctx;
  const { name, scopes, mcpConnectionId, secretResource } = made;
  const { resource: _, ...rest } = made.server;
  const server = secretResource === undefined ? made.server : rest;
  await store.insert(tx, orgId, {
    ...{ id: providerId, name, issuer: server.issuer ?? null, server, scopes, mcpConnectionId },
    createdBy: member.id,
  });
  const destination = { credentialsId: newId("ocr"), providerId, tenant: null, server };
  await saveCredentials(tx, orgId, {
    ...destination,
    clientId: made.clientId,
    authMethod: made.authMethod,
    secret:
      made.clientSecret === undefined
        ? null
        : keyring.seal(made.clientSecret, createPlace(orgId, destination, "secret")),
    privateKey: null,
    keyId: null,
    resource:
      secretResource === undefined
        ? null
        : keyring.seal(secretResource, createPlace(orgId, destination, "resource")),
  });
  await saveClientRow(tx, orgId, {
    ...{ providerId, credentialsId: destination.credentialsId, scopes, optionalScopes: [] },
    connectionMode: made.shared ? "organization" : "personal",
    updatedBy: member.id,
  });
  return providerId;
}

/** Changes the name that pages show, and the scopes that are requested from the next start on. */
export async function changeMcpProvider(
  { orgId, member }: MemberCtx,
  tx: Db,
  mcpConnectionId: string,
  { name, scopes }: { name: string; scopes: readonly string[] },
): Promise<void> {
  const providerId = toProviderId(mcpConnectionId);
  const client = await lockClient(tx, orgId, providerId);
  if (!client) return;
  await store.rename(tx, orgId, providerId, name);
  await saveClientRow(tx, orgId, {
    ...{ providerId, credentialsId: client.credentialsId, scopes, optionalScopes: client.optionalScopes },
    connectionMode: client.connectionMode,
    updatedBy: member.id,
  });
}

/** Ends the accounts of an MCP connection, and removes its client. A job revokes the tokens. */
export async function removeMcpProvider(ctx: MemberCtx, tx: Db, mcpConnectionId: string): Promise<void> {
  const providerId = toProviderId(mcpConnectionId);
  if (!(await lockClient(tx, ctx.orgId, providerId))) return;
  await endLiveConnections(tx, ctx.orgId, { providerId }, "client_changed", createActor(ctx));
  await queueRevocation(ctx, tx);
  await removeClientRow(tx, ctx.orgId, providerId);
  await store.remove(tx, ctx.orgId, providerId);
}

type Query = Parameters<typeof start>[2];

/** The page that asks before the browser leaves, or undefined when the start is confirmed. */
export const confirmMcpStart = (ctx: MemberCtx, mcpConnectionId: string, query: Query, how: McpStart) =>
  prepareConfirmation(ctx, toProviderId(mcpConnectionId), query, how);

export const startMcp = (ctx: MemberCtx, mcpConnectionId: string, query: Query, how: McpStart) =>
  start(ctx, toProviderId(mcpConnectionId), query, how);

/** Runs in the transaction that connects an account of an MCP connection. */
export type OnMcpConnected = (tx: Db, orgId: OrgId, mcpConnectionId: string) => Promise<void>;

const toHook =
  (onConnected: OnMcpConnected): OnConnected =>
  (tx, { orgId, providerId }) =>
    onConnected(tx, orgId, toMcpConnectionId(providerId));

export const handleMcpCallback = (
  ctx: Ctx,
  parameters: URLSearchParams,
  cookies: string | undefined,
  onConnected: OnMcpConnected,
) => handleCallback(ctx, null, parameters, cookies, toHook(onConnected));

export const claimMcpAccount = (
  ctx: MemberCtx,
  mcpConnectionId: string,
  code: string,
  onConnected: OnMcpConnected,
) => claimWaiting(ctx, toProviderId(mcpConnectionId), code, toHook(onConnected));

/** Ends the caller's account, or the shared one, and the attempts to connect it. Returns false when there was none. */
export async function disconnectMcpAccount(
  ctx: MemberCtx,
  tx: Db,
  mcpConnectionId: string,
  shared: boolean,
): Promise<boolean> {
  const providerId = toProviderId(mcpConnectionId);
  const { orgId, member } = ctx;
  await supersede(tx, orgId, { memberId: shared ? null : member.id, providerId, label: defaultLabel });
  const scope = shared ? { providerId, shared } : { providerId, memberId: member.id };
  const ended = await endLiveConnections(tx, orgId, scope, "disconnected", createActor(ctx));
  if (ended > 0) await queueRevocation(ctx, tx);
  return ended > 0;
}
