import type { MemberCtx } from "../../../platform/context.ts";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { newId } from "../../../platform/ids.ts";
import { findSetup } from "../clients/index.ts";
import { needReconnect } from "../connections/index.ts";
import { actorOf, note } from "../events/index.ts";
import type { IssueToken } from "./contract.ts";
import { refreshToken } from "./refresh.ts";
import { openToken } from "./sealing.ts";
import * as store from "./store.ts";

/** How long a caller may be kept waiting for the provider. */
const patienceMs = 15_000;
/** Shorter than this it is not worth handing out: it would be over on arrival. */
const leastMs = 5_000;

export async function issue(ctx: MemberCtx, providerId: string, wanted: IssueToken) {
  const until = Date.now() + patienceMs;
  let found = await find(ctx, providerId, wanted, wanted.minTtlSeconds);
  while (!found.fresh) {
    checkUsable(found, wanted.scopes);
    if (!mayRenew(found)) return makeDo(ctx, providerId, found);
    if (Date.now() >= until) throw unavailable(2, "still_refreshing");
    const seen = found.accessToken;
    await refreshToken(ctx, ctx.orgId, { id: found.tokenId, seen }, until);
    found = await find(ctx, providerId, wanted, wanted.minTtlSeconds);
    // One that was just renewed is as good as this provider's get, however long was asked for.
    if (!found.fresh && found.accessToken !== seen) found = await find(ctx, providerId, wanted, 0);
  }
  // To the minute is enough to know what is worth keeping fresh.
  if (found.now - found.lastUsedAt > 60_000) await store.touch(ctx.db, ctx.orgId, found.tokenId);
  return show(ctx, found);
}

/** A run credential acts for the member whose run it is. `holder` is the runner or member that does the run. */
const holderOf = ({ caller: { holder } }: MemberCtx) => (holder === undefined ? {} : { holder });

const find = async (ctx: MemberCtx, providerId: string, wanted: IssueToken, seconds: number) => {
  const { orgId, member, caller } = ctx;
  const found = await store.handOut(
    ctx.db,
    orgId,
    {
      providerId,
      memberId: member.id,
      connectionId: wanted.connectionId ?? null,
      among: caller.limitedTo ? [...caller.limitedTo] : null,
      label: wanted.account ?? null,
      seconds,
      scopes: wanted.scopes,
    },
    {
      eventId: newId("oce"),
      credential: caller.credential,
      credentialId: caller.credentialId,
      detail: holderOf(ctx),
      address: ctx.address,
      userAgent: ctx.userAgent,
    },
  );
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

const show = ({ keyring, orgId }: MemberCtx, found: store.Found) => ({
  accessToken: openToken(
    keyring,
    { id: found.tokenId, orgId, client: found },
    "access_token",
    found.accessToken!,
  ),
  tokenType: "Bearer" as const,
  expiresAt: found.expiresAt,
  scopes: found.scopes,
  connectionId: found.connectionId,
  account: found.label,
});

function checkUsable({ connectionId, status, reason, scopes }: store.Found, wanted: readonly string[]): void {
  if (status === "needs_reconnect") throw reconnect(connectionId, reason ?? "revoked_at_provider");
  const missingScopes = wanted.filter((scope) => !scopes.includes(scope));
  if (missingScopes.length > 0) {
    throw conflict(
      "step_up_required",
      `The account did not grant ${missingScopes.join(", ")}. Connect it again with ?scopes= to ask for more.`,
      { missingScopes, connectionId },
    );
  }
}

const reconnect = (connectionId: string, reason: string) =>
  conflict("reconnect_required", "This connection cannot be renewed. Connect the account again.", {
    reason,
    connectionId,
  });

const mayRenew = ({ refreshable, refreshState, nextRefreshAt, now }: store.Found) =>
  refreshable && refreshState !== "uncertain" && (nextRefreshAt === null || nextRefreshAt <= now);

const unavailable = (seconds: number, reason: string) =>
  new Refusal(
    503,
    {
      error: "provider_unavailable",
      message: "The provider does not renew the token at the moment. It is asked again by itself.",
      reason,
    },
    { "retry-after": String(Math.max(1, Math.ceil(seconds))) },
  );

/** It cannot be renewed now: what is there will do if it is still good, else say why and what to do. */
async function makeDo(ctx: MemberCtx, providerId: string, found: store.Found) {
  const { connectionId, expiresAt, now, refreshable, refreshState } = found;
  if (found.accessToken !== null && expiresAt !== null && expiresAt - now > leastMs) {
    const about = { providerId, connectionId };
    await note(ctx.db, ctx.orgId, "token_issued", actorOf(ctx), about, { ...holderOf(ctx), shorter: true });
    return show(ctx, found);
  }
  if (refreshState === "uncertain") throw reconnect(connectionId, "refresh_uncertain");
  if (!refreshable) {
    await ctx.db.transaction((tx) => needReconnect(tx, ctx.orgId, found.tokenId, "expired"));
    throw reconnect(connectionId, "expired");
  }
  throw unavailable(((found.nextRefreshAt ?? now) - now) / 1000, found.lastError ?? "unknown_error");
}
