import type { MemberCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors.ts";
import { cutPageById, invalidateCallers, type PageQuery, readIdCursor } from "../../platform/http/index.ts";
import { isId, newId } from "../../platform/ids.ts";
import { hashSecret, newToken } from "../../platform/secrets.ts";
import { record } from "../audit/index.ts";
import { keepCredential } from "../credentials/index.ts";
import { takeQuota } from "../quotas/index.ts";
import type { McpToken } from "./contract.ts";
import * as store from "./store.ts";

export const mcpPrefix = "sbm_";
const days = 7;

/** The member whose tokens the caller may see and remove. Null means every member. */
const toMemberFilter = ({ member }: MemberCtx) =>
  member.permissions.has("api_keys:manage") ? null : member.id;

export async function create(ctx: MemberCtx, { name, scopes }: Pick<McpToken, "name" | "scopes">) {
  const token = newToken(mcpPrefix);
  return ctx.db.transaction(async (tx) => {
    await takeQuota(ctx, tx, ctx.orgId, "mcp_tokens");
    await keepCredential(ctx, tx);
    const mcpToken = (await store.insert(tx, ctx.orgId, {
      id: newId("mcp"),
      memberId: ctx.member.id,
      name,
      start: token.slice(0, mcpPrefix.length + 6),
      tokenHash: hashSecret(token),
      scopes: [...new Set(scopes)].sort(),
      days,
    }))!;
    const target = { type: "mcp_token", id: mcpToken.id };
    await record(ctx, tx, { action: "mcp_token.created", target, after: mcpToken });
    return { mcpToken, token };
  });
}

export async function list(ctx: MemberCtx, query: PageQuery) {
  return cutPageById(
    await store.list(ctx.db, ctx.orgId, toMemberFilter(ctx), readIdCursor(query, "mcp"), query.limit + 1),
    query,
  );
}

export async function remove(ctx: MemberCtx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const ended = isId("mcp", id) ? await store.remove(tx, ctx.orgId, toMemberFilter(ctx), id) : undefined;
    if (!ended) throw notFound("mcp_token");
    await invalidateCallers(ctx.bus, tx, id);
    await record(ctx, tx, { action: "mcp_token.removed", target: { type: "mcp_token", id }, before: ended });
  });
}
