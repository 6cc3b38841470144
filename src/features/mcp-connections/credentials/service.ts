import type { Ctx, MemberCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, forbidden, invalidField } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { record } from "../../audit/index.ts";
import {
  claimMcpAccount,
  confirmMcpStart,
  disconnectMcpAccount,
  handleMcpCallback,
  type OnMcpConnected,
  startMcp,
  toProviderId,
} from "../../oauth-providers/index.ts";
import { requireConnection, requireId } from "../find.ts";
import { requestFirstListing } from "../first-listing.ts";
import { removeCredential, saveCredential } from "../member-states/index.ts";
import { type ConnectionId, isOauth } from "../model.ts";
import { sealHeaders } from "../sealing.ts";
import type { DetailRow } from "../store.ts";
import { forgetAccount } from "../tools/index.ts";
import { endUpstreamSessions, retireUpstreamSessions } from "../upstream/index.ts";
import type { NewCredential, StartQuery } from "./contract.ts";
import * as store from "./store.ts";

/** Whose credential the caller may change: the own one, or with the permission the shared one. */
function requireHolder({ member }: MemberCtx, { credential, mayUse }: DetailRow): string | null {
  if (credential === "shared") {
    if (member.permissions.has("mcp_connections:manage")) return null;
    throw forbidden(
      "missing_permission",
      "The credential of this connection is shared. Changing it needs the permission mcp_connections:manage.",
    );
  }
  if (mayUse) return member.id;
  throw forbidden("not_granted", "You may not use this connection. Ask an admin to give you access first.");
}

/** Checks the start, and finds the scopes to ask for: those of the connection, earlier ones, and missing ones. */
async function prepareStart(ctx: MemberCtx, id: string) {
  const row = await requireConnection(ctx, ctx.db, id);
  const holder = requireHolder(ctx, row);
  if (!isOauth(row.registration))
    throw conflict(
      "mcp_no_sign_in",
      row.registration === "none"
        ? "This connection needs no account: everybody who was granted it can use it."
        : "This connection takes a key, not an account. Set it with PUT /v1/mcp-connections/{id}/credential.",
    );
  const granted = await store.findGrantedScopes(ctx.db, ctx.orgId, toProviderId(row.id), holder);
  return { id: row.id, how: { shared: holder === null, scopes: [...granted, ...row.missingScopes] } };
}

export async function confirmStart(ctx: MemberCtx, id: string, query: StartQuery) {
  const { id: connectionId, how } = await prepareStart(ctx, id);
  return confirmMcpStart(ctx, connectionId, query, how);
}

export async function start(ctx: MemberCtx, id: string, query: StartQuery) {
  const { id: connectionId, how } = await prepareStart(ctx, id);
  return startMcp(ctx, connectionId, query, how);
}

export const receiveCallback = (ctx: Ctx, search: string, cookies: string | undefined) =>
  handleMcpCallback(ctx, new URLSearchParams(search), cookies, listTools(ctx));

/** The first account of a connection is used to list its tools. */
const listTools =
  (platform: Pick<Ctx, "jobs">): OnMcpConnected =>
  async (tx, orgId, mcpConnectionId) => {
    if (isId("mcn", mcpConnectionId)) await requestFirstListing(platform, tx, orgId, mcpConnectionId);
  };

export async function claim(ctx: MemberCtx, id: string, code: string): Promise<void> {
  const { id: connectionId } = await requireConnection(ctx, ctx.db, id);
  await claimMcpAccount(ctx, connectionId, code, listTools(ctx));
}

export async function disconnect(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const row = await requireConnection(ctx, tx, id);
    const holder = row.credential === "shared" ? requireHolder(ctx, row) : ctx.member.id;
    if (!(await removeAny(ctx, tx, row, holder))) return;
    if (holder !== null) await forgetAccount(tx, ctx.orgId, row.id, holder);
    // The other members of the connection may be in the middle of a call.
    await (holder === null ? endUpstreamSessions : retireUpstreamSessions)(ctx, tx, row.id);
  });
}

/** Removes the credential. Returns false when there is none. */
async function removeAny(
  ctx: MemberCtx,
  tx: Db,
  { id, registration }: DetailRow,
  holder: string | null,
): Promise<boolean> {
  if (isOauth(registration)) return disconnectMcpAccount(ctx, tx, id, holder === null);
  if ((await removeCredential(tx, ctx.orgId, id, holder)) === 0) return false;
  await recordChange(ctx, tx, "mcp_connection.credential_removed", id, holder);
  return true;
}

export async function setCredential(ctx: MemberCtx, id: string, given: NewCredential): Promise<void> {
  const headers = toHeaders(given);
  if (Object.keys(headers).length === 0)
    throw invalidField(["bearerToken"], "Send a token, or headers. To remove them, disconnect.");
  await ctx.db.transaction(async (tx) => {
    const row = await requireConnection(ctx, tx, id);
    const holder = requireHolder(ctx, row);
    if (row.registration !== "bearer")
      throw conflict(
        "mcp_no_static_credential",
        "This connection does not take a key. Members sign in to it, or it needs no credential.",
      );
    await storeCredential(ctx, tx, row, holder, headers);
    await requestFirstListing(ctx, tx, ctx.orgId, row.id);
    await recordChange(ctx, tx, "mcp_connection.credential_set", row.id, holder, Object.keys(headers));
  });
}

/** Names are stored in lower case, so that one cannot be given twice. */
export const toHeaders = ({ bearerToken, headers = {} }: NewCredential): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  ...(bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` }),
});

/** Replaces the sealed headers of a member, or the shared ones. */
export async function storeCredential(
  { keyring, orgId }: MemberCtx,
  tx: Db,
  connection: { id: ConnectionId; url: string },
  memberId: string | null,
  headers: Record<string, string>,
): Promise<void> {
  const id = newId("mcc");
  await saveCredential(tx, orgId, {
    ...{ id, connectionId: connection.id, memberId },
    secret: sealHeaders(keyring, { id, orgId, url: connection.url }, headers),
  });
}

const recordChange = (
  ctx: MemberCtx,
  tx: Db,
  action: `mcp_connection.${string}`,
  id: ConnectionId,
  memberId: string | null,
  headers?: string[],
) =>
  record(ctx, tx, {
    action,
    target: { type: "mcp_connection", id },
    after: { memberId, ...(headers ? { headers } : {}) },
  });

export async function listMembers(ctx: MemberCtx, id: string, query: PageQuery) {
  const connectionId = await requireId(ctx, id);
  const rows = await store.listMembers(
    ctx.db,
    ctx.orgId,
    connectionId,
    readIdCursor(query, "mem"),
    query.limit + 1,
  );
  const { items, nextCursor } = cutPageById(rows, query);
  return { items: items.map(({ id: _, ...member }) => member), nextCursor };
}
