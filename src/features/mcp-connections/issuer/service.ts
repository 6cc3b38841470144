import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, invalidField, notFound } from "../../../platform/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import { removeMcpProvider, saveMcpProvider } from "../../oauth-providers/index.ts";
import { findConnection } from "../access/index.ts";
import { createRedaction, type Discovery, type EvidenceItem, runDiscovery } from "../discovery/index.ts";
import { lockConnection } from "../find.ts";
import { isOauth } from "../model.ts";
import { keepClient, type Plan, planConnection, releaseClientOfConnection } from "../registration/index.ts";
import { findSecretResource, toKept } from "../saving.ts";
import { read } from "../service.ts";
import { announceToolChange } from "../tool-changes.ts";
import { endUpstreamSessions } from "../upstream/index.ts";
import type { MoveInput } from "./contract.ts";
import * as store from "./store.ts";

interface PreparedMove {
  plan: Plan & { client: NonNullable<Plan["client"]> };
  verdict: Discovery;
  evidence: EvidenceItem[];
}

/** Discovers the server and registers this instance at the new issuer. Sends requests, so no transaction may be open. */
export async function prepareMove(ctx: MemberCtx, id: string, body: MoveInput): Promise<PreparedMove> {
  const connection = isId("mcn", id) ? await findConnection(ctx, ctx.orgId, id) : undefined;
  if (!connection) throw notFound("mcp_connection");
  const { url, credential, registration } = connection;
  if (!isOauth(registration))
    throw conflict("mcp_no_sign_in", "Nobody signs in to this connection: it takes a key, or nothing.");
  const { result, evidence } = await runDiscovery(ctx, url);
  if (result.status === "unreachable")
    throw conflict(
      "mcp_server_unreachable",
      "The server cannot be reached, so nothing was moved. Try again later.",
    );
  const issuers = result.authentication.authorizationServers.map(({ issuer }) => issuer);
  if (!issuers.includes(body.authorizationServer))
    throw invalidField(
      ["authorizationServer"],
      `The server does not name this issuer. It accepts tokens of ${issuers.join(", ") || "nobody"}.`,
    );
  const plan = await planConnection(ctx, { url, credential, ...body }, result);
  const { client } = plan;
  if (!client) throw new Error("A way to register without a client was chosen.");
  return { ...toKept(url, result, evidence), plan: { ...plan, client } };
}

/** Replaces the client of the connection. The accounts and tokens of the earlier issuer end with it. */
export async function move(ctx: MemberCtx, id: string, { plan, verdict, evidence }: PreparedMove) {
  const { registration, scopes, client } = plan;
  const { issuer = "" } = client.server;
  const url = await ctx.db.transaction(async (tx) => {
    const before = await lockConnection(ctx, tx, id);
    await removeMcpProvider(ctx, tx, before.id);
    await releaseClientOfConnection(ctx, tx, before.id);
    const { credential } = (await read({ ...ctx, db: tx }, id)).connection;
    await saveMcpProvider(ctx, tx, {
      ...{ mcpConnectionId: before.id, name: before.name, scopes, ...client },
      shared: credential === "shared",
      secretResource: findSecretResource(client.resource),
    });
    if (client.registrationId !== undefined)
      await keepClient(tx, ctx.orgId, client.registrationId, before.id);
    await store.move(tx, ctx.orgId, before.id, {
      ...{ registration, scopes, verdict, evidence, authorizationServer: issuer },
      resource: createRedaction(client.resource)(client.resource),
    });
    await store.forgetAccounts(tx, ctx.orgId, before.id);
    await endUpstreamSessions(ctx, tx, before.id);
    await announceToolChange(ctx, tx, ctx.orgId);
    await record(ctx, tx, {
      action: "mcp_connection.authorization_server_changed",
      target: { type: "mcp_connection", id: before.id },
      before: { registration: before.registration, scopes: before.scopes },
      after: { registration, scopes, authorizationServer: issuer },
    });
    return before.url;
  });
  ctx.log.info({ connectionId: id, url, issuer }, "MCP connection moved to another authorization server");
  return read(ctx, id);
}
