import type { MemberCtx } from "../../platform/context.ts";
import { dayMs } from "../../platform/days.ts";
import { cutPageById, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { record } from "../audit/index.ts";
import { changeMcpProvider, removeMcpProvider } from "../oauth-providers/index.ts";
import { readAccess } from "./access/index.ts";
import { countCallsSince } from "./calls/index.ts";
import type { ConnectionChange, McpConnection, McpConnectionDetail, NewConnection } from "./contract.ts";
import { lockConnection, requireConnection, toReader } from "./find.ts";
import { fillLimits, fillPolicy, isOauth } from "./model.ts";
import { buildCallbackUrl, releaseClient, releaseClientOfConnection } from "./registration/index.ts";
import { type PreparedConnection, saveConnection } from "./saving.ts";
import * as store from "./store.ts";
import { announceToolChange } from "./tool-changes.ts";
import { endUpstreamSessions } from "./upstream/index.ts";

export async function list(
  ctx: MemberCtx,
  { status = null, ...query }: PageQuery & { status?: string | null | undefined },
) {
  const rows = await store.list(
    ctx.db,
    ctx.orgId,
    toReader(ctx),
    status,
    readIdCursor(query, "mcn"),
    query.limit + 1,
  );
  const { items, nextCursor } = cutPageById(rows, query);
  return { items: await addCounts(ctx, items), nextCursor };
}

async function addCounts(ctx: MemberCtx, rows: readonly store.SummaryRow[]): Promise<McpConnection[]> {
  const people = new Map(
    toReader(ctx).seesAll && rows.length > 0
      ? (
          await store.countPeople(
            ctx.db,
            ctx.orgId,
            rows.map(({ id }) => id),
          )
        ).map(({ id, ...counts }) => [id, counts] as const)
      : [],
  );
  const calls = rows.length > 0 ? await countCallsSince(ctx.db, ctx.orgId, Date.now() - dayMs) : new Map();
  return rows.map((row) => toConnection(row, people.get(row.id) ?? null, calls.get(row.id) ?? 0));
}

function toConnection(
  row: store.SummaryRow,
  people: McpConnection["people"],
  callsLastDay: number,
): McpConnection {
  const { mineState, missingScopes, account, mineSince, mayUse, ...rest } = row;
  const { problemStep, problemCode, problemMessage, problemSince, verdictDrift, ...summary } = rest;
  return {
    id: summary.id,
    name: summary.name,
    slug: summary.slug,
    url: summary.url,
    credential: summary.credential,
    registration: summary.registration,
    enabled: summary.enabled,
    status: summary.status,
    problem:
      problemStep === null
        ? null
        : { step: problemStep, code: problemCode, message: problemMessage, since: problemSince },
    toolCount: summary.toolCount,
    heldTools: summary.heldTools,
    protocolVersion: summary.protocolVersion,
    authorizationServer: summary.authorizationServer,
    scopes: summary.scopes,
    mine: { state: mineState, missingScopes, account, since: mineSince, mayUse },
    people,
    callsLastDay,
    verdictStatus: summary.verdictStatus,
    verdictDrift: verdictDrift ?? [],
    discoveredAt: summary.discoveredAt,
    checkedAt: summary.checkedAt,
    createdBy: summary.createdBy,
    createdAt: summary.createdAt,
    updatedAt: summary.updatedAt,
  };
}

export async function read(ctx: MemberCtx, id: string): Promise<{ connection: McpConnectionDetail }> {
  const row = await requireConnection(ctx, ctx.db, id);
  const [summary] = await addCounts(ctx, [row]);
  const { verdict, evidence, resource, clientId, logPayloads, payloadDays } = row;
  return {
    connection: {
      ...summary!,
      ...{ verdict, evidence, resource, clientId, logPayloads, payloadDays },
      redirectUri: isOauth(row.registration) ? buildCallbackUrl(ctx.config) : null,
      policy: fillPolicy(row.policy),
      limits: fillLimits(row.limits),
      access: toReader(ctx).seesAll ? await readAccess(ctx.db, ctx.orgId, row.id) : null,
    },
  };
}

export async function create(ctx: MemberCtx, body: NewConnection, prepared: PreparedConnection) {
  try {
    const id = await saveConnection(ctx, body, prepared);
    return await read(ctx, id);
  } catch (error) {
    const registrationId = prepared.plan.client?.registrationId;
    // Inside the transaction of an Idempotency-Key this would roll back too; then the job finds the client.
    if (registrationId !== undefined && !ctx.db.inTransaction)
      await ctx.db.transaction((tx) => releaseClient(ctx, tx, registrationId));
    throw error;
  }
}

export async function change(ctx: MemberCtx, id: string, input: ConnectionChange) {
  await ctx.db.transaction(async (tx) => {
    const before = await lockConnection(ctx, tx, id);
    const { limits, ...given } = input;
    const { id: connectionId, registration, url: _, ...settings } = before;
    const next = { ...settings, ...given, limits: { ...before.limits, ...limits } };
    await store.update(tx, ctx.orgId, connectionId, next);
    if (isOauth(registration)) await changeMcpProvider(ctx, tx, connectionId, next);
    if (before.enabled && !next.enabled) await endUpstreamSessions(ctx, tx, connectionId);
    await announceToolChange(ctx, tx, ctx.orgId);
    await record(ctx, tx, {
      action: "mcp_connection.changed",
      target: { type: "mcp_connection", id: connectionId },
      before: settings,
      after: next,
    });
  });
  return read(ctx, id);
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { id: connectionId, name, url, registration } = await lockConnection(ctx, tx, id);
    await removeMcpProvider(ctx, tx, connectionId);
    await releaseClientOfConnection(ctx, tx, connectionId);
    await store.remove(tx, ctx.orgId, connectionId);
    await endUpstreamSessions(ctx, tx, connectionId);
    await announceToolChange(ctx, tx, ctx.orgId);
    await record(ctx, tx, {
      action: "mcp_connection.removed",
      target: { type: "mcp_connection", id: connectionId },
      before: { name, url, registration },
    });
  });
}
