import type { Ctx, MemberCtx, MemberId, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { conflict, forbidden, invalidField, notFound, Refusal } from "../../../platform/errors.ts";
import { cutPageById, type PageQuery, readIdCursor, readPage } from "../../../platform/http/index.ts";
import { isId, newId } from "../../../platform/ids.ts";
import { countTeams } from "../../teams/index.ts";
import { type Actor, createActor, store as events, recordEvent } from "../events/index.ts";
import { queueRevocation } from "../revocation-queue.ts";
import type { Connection, HealthReason } from "./contract.ts";
import { computeHealth, toConnection } from "./health.ts";
import * as store from "./store.ts";

/** The member whose connections the caller may read and end, or null for all. A limited key may have neither right. */
function resolveReach({ member }: MemberCtx): MemberId | null {
  if (member.permissions.has("connections:manage")) return null;
  if (member.permissions.has("connections:use")) return member.id;
  throw forbidden(
    "missing_permission",
    "This needs the permission connections:use or connections:manage. Ask an owner or admin.",
  );
}

export async function list(
  ctx: MemberCtx,
  { providerId = null, ended, ...query }: PageQuery & { providerId?: string | null; ended: "true" | "false" },
) {
  const filter = { providerId, ended: ended === "true" };
  const { items, nextCursor } = await readPage(
    store.list(ctx.db, ctx.orgId, resolveReach(ctx), filter),
    query,
    "ocn",
  );
  return { items: items.map((row) => toConnection(row)), nextCursor };
}

async function find(ctx: MemberCtx, db: Db, id: string): Promise<store.ConnectionRow> {
  const row = isId("ocn", id) ? await store.find(db, ctx.orgId, resolveReach(ctx), id) : undefined;
  if (!row) throw notFound("connection");
  return row;
}

export async function read(ctx: MemberCtx, id: string) {
  return { connection: toConnection(await find(ctx, ctx.db, id)) };
}

/** What names the connection: the counts cover everything, the lists what the caller may read. */
export async function readUses(ctx: MemberCtx, id: string) {
  const { db, orgId, member } = ctx;
  const { permissions } = member;
  const row = await find(ctx, db, id);
  const uses = await store.findUses(
    db,
    orgId,
    row.id,
    permissions.has("automations:manage") ? null : member.id,
  );
  return {
    uses: {
      ...uses,
      automations: permissions.has("automations:create") ? uses.automations : [],
      workers: permissions.has("workers:read") ? uses.workers : [],
    },
  };
}

export async function listEvents(ctx: MemberCtx, id: string, query: PageQuery) {
  const { id: connectionId } = await find(ctx, ctx.db, id);
  return cutPageById(
    await events.list(ctx.db, ctx.orgId, connectionId, readIdCursor(query, "oce"), query.limit + 1),
    query,
  );
}

/** Lists the caller's own connections and the shared ones that the caller may use. */
export async function readStatus(ctx: MemberCtx, providerId: string) {
  resolveReach(ctx);
  const rows = await store.listUsable(ctx.db, ctx.orgId, ctx.member.id, providerId, 100);
  const now = Date.now();
  const works = (row: store.ConnectionRow) => /^(?:connected|expiring)$/.test(computeHealth(row, now).status);
  return { connected: rows.some(works), connections: rows.map((row) => toConnection(row, now)) };
}

export async function end(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const row = await find(ctx, tx, id);
    if (row.status === "ended") throw notFound("connection");
    if (row.memberId !== ctx.member.id && !ctx.member.permissions.has("connections:manage")) {
      throw forbidden(
        "missing_permission",
        "Ending a shared connection needs the permission connections:manage.",
      );
    }
    await endLiveConnections(tx, ctx.orgId, { id: row.id }, "disconnected", createActor(ctx));
    await queueRevocation(ctx, tx);
  });
}

export const connectionNotFound = (message: string) =>
  new Refusal(404, { error: "connection_not_found", message });

/** Ends the caller's own connection: the one that is named, or the only one there is. */
export async function disconnect(
  ctx: MemberCtx,
  tx: Db,
  providerId: string,
  wanted: { connectionId?: string | undefined; account?: string | undefined },
): Promise<{ connection: Connection } | undefined> {
  const own = await store.listOwn(tx, ctx.orgId, ctx.member.id, providerId);
  const named = own.filter(
    ({ id, label }) => id === (wanted.connectionId ?? id) && label === (wanted.account ?? label),
  );
  if (named.length > 1) {
    const accounts = named.map(({ label }) => label);
    throw conflict("account_required", "You have several accounts connected there. Say which one.", {
      accounts,
    });
  }
  const [only] = named;
  if (!only) return undefined;
  await endLiveConnections(tx, ctx.orgId, { id: only.id }, "disconnected", createActor(ctx));
  await queueRevocation(ctx, tx);
  return { connection: toConnection((await store.find(tx, ctx.orgId, ctx.member.id, only.id))!) };
}

/** Ends the live connections in a scope and records who did it. A job revokes their tokens. */
export async function endLiveConnections(
  tx: Db,
  orgId: OrgId,
  reach: store.ConnectionScope,
  reason: HealthReason,
  actor: Actor,
): Promise<number> {
  const ended = await store.end(tx, orgId, reach, reason, actor.memberId);
  for (const { id, providerId } of ended) {
    await recordEvent(tx, orgId, "disconnected", actor, { providerId, connectionId: id }, { reason });
  }
  return ended.length;
}

/**
 * For the room that removes members: ends their connections and records who did it. Without this call a trigger ends
 * them, and the service is recorded.
 */
export const endConnectionsOfMember = (ctx: Ctx, tx: Db, orgId: OrgId, memberId: string) =>
  endLiveConnections(tx, orgId, { memberId }, "member_removed", createActor(ctx));

interface NewConnection {
  providerId: string;
  label: string;
  shared: boolean;
  memberId: string;
  tokenId: string;
  account: { subject: string; name: string | null } | null;
  requestedScopes: readonly string[];
}

/**
 * Adds a connection, or replaces the token of the one with this label. Returns the replaced token and whether it is of
 * the same account: some providers revoke by account, so revoking it would end the new token too.
 */
export async function connect(
  tx: Db,
  orgId: OrgId,
  made: NewConnection,
): Promise<{ id: string; replaced?: { tokenId: string; sameAccount: boolean } }> {
  const { providerId, label, shared, account, tokenId, requestedScopes } = made;
  const memberId = shared ? null : made.memberId;
  const before = await store.lockLive(tx, orgId, { providerId, label, shared, memberId });
  const row = {
    ...{ id: before?.id ?? newId("ocn"), providerId, label, shared, memberId, tokenId, requestedScopes },
    accountSubject: account?.subject ?? null,
    accountName: account?.name ?? null,
    connectedBy: made.memberId,
  };
  if (before) {
    await store.reconnect(tx, orgId, row);
    const sameAccount = before.accountSubject === row.accountSubject;
    return { id: row.id, replaced: { tokenId: before.tokenId, sameAccount } };
  }
  await store.insert(tx, orgId, row);
  // The member who connects may use the connection. Other members need a grant.
  if (shared)
    await store.setGrants(tx, orgId, row.id, { everyone: false, memberIds: [made.memberId], teamIds: [] });
  return { id: row.id };
}

async function findShared(ctx: MemberCtx, db: Db, id: string): Promise<store.ConnectionRow> {
  const row = await find(ctx, db, id);
  if (!row.shared) {
    throw conflict(
      "connection_not_shared",
      "This is a member's own connection; only that member may use it.",
    );
  }
  return row;
}

export async function readGrants(ctx: MemberCtx, id: string) {
  const row = await findShared(ctx, ctx.db, id);
  const [members, teams] = await Promise.all([
    store.listGrants(ctx.db, ctx.orgId, row.id),
    store.listTeamGrants(ctx.db, ctx.orgId, row.id),
  ]);
  const memberIds = members.map(({ memberId }) => memberId);
  return { grants: { everyone: row.everyone, memberIds, teamIds: teams.map(({ teamId }) => teamId) } };
}

export async function setGrants(
  ctx: MemberCtx,
  id: string,
  { everyone, ...given }: { everyone: boolean; memberIds: string[]; teamIds: string[] },
) {
  const [memberIds, teamIds] = [given.memberIds, given.teamIds].map((ids) => [...new Set(ids)].sort()) as [
    string[],
    string[],
  ];
  await ctx.db.transaction(async (tx) => {
    const { id: connectionId, providerId } = await findShared(ctx, tx, id);
    if ((await store.countMembers(tx, ctx.orgId, memberIds)) < memberIds.length) {
      throw invalidField(["memberIds"], "Not all of these are members of this organization.");
    }
    if ((await countTeams(tx, ctx.orgId, teamIds)) < teamIds.length) {
      throw invalidField(["teamIds"], "Not all of these are teams of this organization.");
    }
    const detail = { everyone, memberIds, teamIds };
    await store.setGrants(tx, ctx.orgId, connectionId, detail);
    await recordEvent(
      tx,
      ctx.orgId,
      "access_changed",
      createActor(ctx),
      { providerId, connectionId },
      detail,
    );
  });
  return { grants: { everyone, memberIds, teamIds } };
}
