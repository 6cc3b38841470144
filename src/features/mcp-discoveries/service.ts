import type { MemberCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { notFound } from "../../platform/errors.ts";
import { cutPageById, type OpenStream, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import { createRedaction } from "../mcp-connections/index.ts";
import { type KeptDiscovery, keptVerdicts, type listQuery } from "./contract.ts";
import * as store from "./store.ts";
import { type FinishedDiscovery, streamDiscovery } from "./stream.ts";

export function stream(ctx: MemberCtx, { url }: { url: string }, eventStream: OpenStream): Promise<Response> {
  return eventStream((signal) =>
    streamDiscovery(ctx, url, signal, (finished) => keepVerdict(ctx, url, finished)),
  );
}

async function keepVerdict(
  { db, orgId, member }: MemberCtx,
  url: string,
  { result, evidence, durationMs }: FinishedDiscovery,
): Promise<KeptDiscovery> {
  const shown = createRedaction(url)(url);
  return db.transaction(async (tx) => {
    const kept = await store.insert(tx, orgId, member.id, {
      ...{ id: newId("mcd"), url: shown, status: result.status, result, evidence, durationMs },
    });
    await store.removeBeyond(tx, orgId, keptVerdicts);
    return kept!;
  });
}

export async function list({ db, orgId }: MemberCtx, query: (typeof listQuery)["_output"]) {
  const rows = await store.list(db, orgId, query.status ?? null, readIdCursor(query, "mcd"), query.limit + 1);
  return cutPageById(rows, query);
}

async function requireDiscovery(db: Db, { orgId }: MemberCtx, id: string): Promise<KeptDiscovery> {
  const found = isId("mcd", id) ? await store.find(db, orgId, id) : undefined;
  if (!found) throw notFound("mcp_discovery");
  return found;
}

export async function read(ctx: MemberCtx, id: string) {
  return { discovery: await requireDiscovery(ctx.db, ctx, id) };
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = isId("mcd", id) ? await store.remove(tx, ctx.orgId, id) : undefined;
    if (!before) throw notFound("mcp_discovery");
    await record(ctx, tx, { action: "mcp_discovery.removed", target: { type: "mcp_discovery", id }, before });
  });
}
