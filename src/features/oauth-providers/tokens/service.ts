import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { findSetup } from "../clients/index.ts";
import { markForReconnect } from "../connections/index.ts";
import { createActor, recordEvent } from "../events/index.ts";
import type { IssueToken } from "./contract.ts";
import { type SharedToken, tokenIssues } from "./issues.ts";
import { refreshToken } from "./refresh.ts";
import * as store from "./store.ts";

/** How long a caller waits for the provider at most. */
export const maxWaitMs = 15_000;
/** A token that expires sooner is not issued, because it could expire before its first use. */
export const minRemainingMs = 5_000;

export async function issueToken(ctx: MemberCtx, providerId: string, wanted: IssueToken) {
  const until = Date.now() + maxWaitMs;
  let found = await findAndIssue(ctx, providerId, wanted, wanted.minTtlSeconds);
  while (!found.fresh) {
    checkUsable(found, wanted.scopes);
    if (!canRefresh(found)) return issueWithoutRefresh(ctx, providerId, found);
    if (Date.now() >= until) throw tokenUnavailable(2, "still_refreshing");
    const previousAccessToken = found.accessToken;
    await refreshToken(ctx, ctx.orgId, { id: found.tokenId, previousAccessToken }, until);
    found = await findAndIssue(ctx, providerId, wanted, wanted.minTtlSeconds);
    // A token that was just refreshed is issued even if it expires sooner than requested.
    if (!found.fresh && found.accessToken !== previousAccessToken)
      found = await findAndIssue(ctx, providerId, wanted, 0);
  }
  // A precision of one minute is enough to decide which tokens are refreshed early.
  if (found.now - found.lastUsedAt > 60_000) await store.setLastUsed(ctx.db, ctx.orgId, found.tokenId);
  return toIssuedToken(found);
}

/** A run credential acts for the member whose run it is. `holder` is the runner or member that does the run. */
const describeHolder = ({ caller: { holder } }: MemberCtx) => (holder === undefined ? {} : { holder });

const findAndIssue = async (ctx: MemberCtx, providerId: string, wanted: IssueToken, seconds: number) => {
  const { orgId, member, caller } = ctx;
  const found = await ctx.state.get(tokenIssues)({
    request: {
      orgId,
      providerId,
      memberId: member.id,
      connectionId: wanted.connectionId ?? null,
      among: caller.limitedTo ? [...caller.limitedTo] : null,
      label: wanted.account ?? null,
      seconds,
      scopes: wanted.scopes,
    },
    record: {
      eventId: newId("oce"),
      credential: caller.credential,
      credentialId: caller.credentialId,
      detail: describeHolder(ctx),
      address: ctx.address,
      userAgent: ctx.userAgent,
    },
  });
  if (found) return found;
  if (caller.limitedTo) {
    throw new Refusal(404, {
      error: "connection_not_found",
      message: `The automation of this run has no connection to ${providerId} that its owner may use. Add it to the automation's connectionIds.`,
    });
  }
  if (!(await findSetup(ctx, providerId))) throw notFound("oauth_provider");
  throw new Refusal(404, {
    error: "connection_not_found",
    message: `There is no such connection that you may use. Connect an account with GET /v1/oauth-providers/${providerId}/connect/start.`,
  });
};

const toIssuedToken = (found: SharedToken) => ({
  accessToken: found.open(),
  tokenType: "Bearer" as const,
  expiresAt: found.expiresAt,
  scopes: found.scopes,
  connectionId: found.connectionId,
  account: found.label,
});

function checkUsable(
  { connectionId, status, reason, scopes }: store.FoundToken,
  wanted: readonly string[],
): void {
  if (status === "needs_reconnect") throw reconnectRequired(connectionId, reason ?? "revoked_at_provider");
  const missingScopes = wanted.filter((scope) => !scopes.includes(scope));
  if (missingScopes.length > 0) {
    throw conflict(
      "step_up_required",
      `The account did not grant ${missingScopes.join(", ")}. Connect it again with ?scopes= to ask for more.`,
      { missingScopes, connectionId },
    );
  }
}

const reconnectRequired = (connectionId: string, reason: string) =>
  conflict("reconnect_required", "This connection cannot be renewed. Connect the account again.", {
    reason,
    connectionId,
  });

export const canRefresh = ({
  refreshable,
  refreshState,
  nextRefreshAt,
  now,
}: Pick<store.FoundToken, "refreshable" | "refreshState" | "nextRefreshAt" | "now">) =>
  refreshable && refreshState !== "uncertain" && (nextRefreshAt === null || nextRefreshAt <= now);

export const tokenUnavailable = (seconds: number, reason: string) =>
  new Refusal(
    503,
    {
      error: "provider_unavailable",
      message: "The provider does not renew the token at the moment. It is asked again by itself.",
      reason,
    },
    { "retry-after": String(Math.max(1, Math.ceil(seconds))) },
  );

/** For a token that cannot be refreshed now: issues it while it is valid, else refuses with the reason. */
async function issueWithoutRefresh(ctx: MemberCtx, providerId: string, found: SharedToken) {
  const { connectionId, expiresAt, now, refreshable, refreshState } = found;
  if (found.accessToken !== null && expiresAt !== null && expiresAt - now > minRemainingMs) {
    const about = { providerId, connectionId };
    await recordEvent(ctx.db, ctx.orgId, "token_issued", createActor(ctx), about, {
      ...describeHolder(ctx),
      shorter: true,
    });
    return toIssuedToken(found);
  }
  if (refreshState === "uncertain") throw reconnectRequired(connectionId, "refresh_uncertain");
  if (!refreshable) {
    await ctx.db.transaction((tx) => markForReconnect(tx, ctx.orgId, found.tokenId, "expired"));
    throw reconnectRequired(connectionId, "expired");
  }
  throw tokenUnavailable(((found.nextRefreshAt ?? now) - now) / 1000, found.lastError ?? "unknown_error");
}
