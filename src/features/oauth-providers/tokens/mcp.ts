import type { MemberCtx } from "../../../platform/context.ts";
import { markForReconnect } from "../connections/index.ts";
import { refreshToken } from "./refresh.ts";
import { openToken } from "./sealing.ts";
import { canRefresh, maxWaitMs, minRemainingMs, tokenUnavailable } from "./service.ts";
import * as store from "./store.ts";

/** How long a token for a call must still be valid. */
const minTtlSeconds = 30;

/** The access token of an MCP connection, or that a person must sign in. */
export type McpTokenResult =
  | { kind: "not_connected" }
  | { kind: "sign_in"; reason: string }
  | {
      kind: "token";
      accessToken: string;
      /** The only address that the token is sent to. */
      audience: string | undefined;
      nextTryAt: number | null;
    };

type Request = Omit<store.McpTokenRequest, "seconds">;

/** Finds a valid token, and refreshes it when needed. However many calls need it, it is refreshed once. */
export async function findMcpToken(ctx: MemberCtx, request: Request): Promise<McpTokenResult> {
  const until = Date.now() + maxWaitMs;
  const find = (seconds: number) => store.findMcpToken(ctx.db, ctx.orgId, { ...request, seconds });
  let found = await find(minTtlSeconds);
  while (found && !found.fresh) {
    if (found.status === "needs_reconnect")
      return { kind: "sign_in", reason: found.reason ?? "revoked_at_provider" };
    if (!canRefresh(found)) return useWithoutRefresh(ctx, found);
    if (Date.now() >= until) throw tokenUnavailable(2, "still_refreshing");
    const previousAccessToken = found.accessToken;
    await refreshToken(ctx, ctx.orgId, { id: found.tokenId, previousAccessToken }, until);
    found = await find(minTtlSeconds);
    // A token that was just refreshed is used even if it expires soon.
    if (found && !found.fresh && found.accessToken !== previousAccessToken) found = await find(0);
  }
  if (!found) return { kind: "not_connected" };
  if (found.now - found.lastUsedAt > 60_000) await store.setLastUsed(ctx.db, ctx.orgId, found.tokenId);
  return toResult(ctx, found);
}

const toResult = ({ keyring, orgId }: MemberCtx, found: store.McpToken): McpTokenResult => ({
  kind: "token",
  accessToken: openToken(
    keyring,
    { id: found.tokenId, orgId, client: found },
    "access_token",
    found.accessToken!,
  ),
  audience: found.server?.tokenAudience,
  nextTryAt: found.nextTryAt,
});

async function useWithoutRefresh(ctx: MemberCtx, found: store.McpToken): Promise<McpTokenResult> {
  const { expiresAt, now, refreshable, refreshState, nextRefreshAt } = found;
  if (found.accessToken !== null && (expiresAt === null || expiresAt - now > minRemainingMs))
    return toResult(ctx, found);
  if (refreshState === "uncertain") return { kind: "sign_in", reason: "refresh_uncertain" };
  if (!refreshable) {
    await ctx.db.transaction((tx) => markForReconnect(tx, ctx.orgId, found.tokenId, "expired"));
    return { kind: "sign_in", reason: "expired" };
  }
  throw tokenUnavailable(((nextRefreshAt ?? now) - now) / 1000, found.lastError ?? "unknown_error");
}

/** A token that is older than this is refreshed when the MCP server refuses it. */
const freshForMs = 30_000;

/**
 * The MCP server refused a token that has not expired: it may have been revoked. Refreshes it, unless it is new. Returns
 * true when there is another token to try. When many calls were refused with one token, the first replaces it, and the
 * others find that it is replaced.
 */
export async function replaceRefusedToken(
  ctx: MemberCtx,
  request: Request,
  refusedToken?: string,
): Promise<boolean> {
  const found = await store.findMcpToken(ctx.db, ctx.orgId, { ...request, seconds: 0 });
  if (found?.status !== "connected") return false;
  const known = refusedToken === undefined || found.accessToken === null ? undefined : toResult(ctx, found);
  if (known?.kind === "token" && known.accessToken !== refusedToken) return true;
  if (!canRefresh(found)) return false;
  if (found.now - found.obtainedAt < freshForMs) return false;
  const previousAccessToken = found.accessToken;
  await refreshToken(ctx, ctx.orgId, { id: found.tokenId, previousAccessToken }, Date.now() + maxWaitMs);
  const after = await store.findMcpToken(ctx.db, ctx.orgId, { ...request, seconds: 0 });
  return after?.status === "connected" && after.accessToken !== previousAccessToken;
}

/** Whether the account still has this token, and not one that was refreshed or connected meanwhile. */
export async function isPresentToken(ctx: MemberCtx, request: Request, token: string): Promise<boolean> {
  const found = await store.findMcpToken(ctx.db, ctx.orgId, { ...request, seconds: 0 });
  if (found?.status !== "connected" || found.accessToken === null) return false;
  const present = toResult(ctx, found);
  return present.kind === "token" && present.accessToken === token;
}
