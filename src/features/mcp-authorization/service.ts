import type { MemberCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId } from "../../platform/ids.ts";
import { record } from "../audit/index.ts";
import * as store from "./store.ts";

/** The member whose clients the caller may see and end. Null means every member. */
const toMemberFilter = ({ member }: MemberCtx) =>
  member.permissions.has("api_keys:manage") ? null : member.id;

export async function list(ctx: MemberCtx, query: PageQuery) {
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, toMemberFilter(ctx), readIdCursor(query, "mcg"), query.limit + 1),
    query,
  );
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const ended = isId("mcg", id) ? await store.remove(tx, ctx.orgId, toMemberFilter(ctx), id) : undefined;
    if (!ended) throw notFound("mcp_client");
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, {
      action: "mcp_client.ended",
      target: { type: "mcp_client", id },
      before: ended,
    });
  });
}
