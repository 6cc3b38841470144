import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { notFound } from "../../../platform/errors.ts";
import { baseHeaders, readPage } from "../../../platform/http/index.ts";
import { isId } from "../../../platform/ids.ts";
import { requireConnection } from "../find.ts";
import type { ConnectionId } from "../model.ts";
import type { connectionQuery, Filter, listQuery } from "./contract.ts";
import { formatCsvLine } from "./csv.ts";
import { openPayload } from "./sealing.ts";
import * as store from "./store.ts";

/** Narrows a filter to what the caller may see. Undefined when that is nothing. */
function narrow({ permissions, member }: MemberCtx, filter: Filter): Filter | undefined {
  if (permissions.has("mcp_connections:manage")) return filter;
  if (filter.memberId !== undefined && filter.memberId !== member.id) return undefined;
  return { ...filter, memberId: member.id };
}

export async function listCalls(ctx: MemberCtx, query: (typeof listQuery)["_output"]) {
  const { limit, cursor, ...given } = query;
  const filter = narrow(ctx, given);
  if (!filter) return { items: [], nextCursor: null };
  return readPage(store.list(ctx.db, ctx.orgId, filter), { limit, cursor }, "mcl");
}

/** For those who may see the connection. The log of a deleted one is in the list of all calls. */
export async function listCallsOfConnection(
  ctx: MemberCtx,
  connectionId: string,
  query: (typeof connectionQuery)["_output"],
) {
  const { id } = await requireConnection(ctx, ctx.db, connectionId);
  return listCalls(ctx, { ...query, connectionId: id });
}

export async function readCall(ctx: MemberCtx, id: string) {
  const call = isId("mcl", id) ? await store.find(ctx.db, ctx.orgId, id) : undefined;
  const isVisible = ctx.permissions.has("mcp_connections:manage") || call?.memberId === ctx.member.id;
  if (!call || !isVisible) throw notFound("mcp_call");
  const stored = await store.findPayload(ctx.db, ctx.orgId, call.id);
  const payload = stored && {
    ...openPayload(ctx.keyring, ctx.orgId, call.id, stored.payload),
    expiresAt: stored.expiresAt,
  };
  return { call: { ...call, payload: payload ?? null } };
}

const exportBatchSize = 500;

/** Reads the next step only when the last one was sent, so a slow client keeps one step in memory. */
export function exportCalls(ctx: MemberCtx, format: "ndjson" | "csv", given: Filter): Response {
  const filter = narrow(ctx, given);
  const formatLine = format === "csv" ? formatCsvLine : (call: unknown) => `${JSON.stringify(call)}\n`;
  async function* lines() {
    if (format === "csv") yield formatCsvLine();
    let after: string | undefined = filter && "";
    while (filter && after !== undefined) {
      const step = await store.listAfter(ctx.db, ctx.orgId, filter, after, exportBatchSize);
      if (step.calls.length > 0) yield step.calls.map((call) => formatLine(call)).join("");
      after = step.last;
    }
    yield format === "csv" ? "# complete\r\n" : '{"complete":true}\n';
  }
  const body = ReadableStream.from(lines()).pipeThrough(new TextEncoderStream());
  return new Response(body, {
    headers: {
      ...baseHeaders,
      "content-type": format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson",
      "content-disposition": `attachment; filename="mcp-calls.${format}"`,
      "cache-control": "no-store",
    },
  });
}

/** Enough to tell a busy connection from others. */
const maxCounted = 1_000;

/** Counts the calls of each connection since a time. Connections without calls have 0. */
export async function countCallsSince(
  db: Db,
  orgId: OrgId,
  sinceMs: number,
): Promise<ReadonlyMap<ConnectionId, number>> {
  const rows = await store.countSince(db, orgId, sinceMs, maxCounted);
  return new Map(rows.map(({ connectionId, calls }) => [connectionId, calls]));
}
