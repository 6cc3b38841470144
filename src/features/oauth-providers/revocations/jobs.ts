import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { job } from "../../../platform/jobs/index.ts";
import { OAuthFailure, revokeToken } from "../../../platform/oauth/index.ts";
import { findCredentials, peerOf } from "../clients/index.ts";
import { findOfToken } from "../connections/index.ts";
import { note, theService } from "../events/index.ts";
import { revocationJob } from "../revocation-queue.ts";
import { openToken, store as tokens } from "../tokens/index.ts";

const batch = 40;
const perOrganization = 4;
const places = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };
/** Minutes between tries: a day in all. Then the token is erased, and what is true is said. */
const pauses = [1, 5, 15, 60, 180, 360, 720];

/** Then the revocation is not tried again, because the request itself may be what kills the process. */
const mostDeaths = 2;

/** The row is the job: whatever ended a connection, and be it a cascade of the database, left it there. */
export const revokePending = job({
  name: revocationJob.name,
  schedule: "* * * * *",
  everySeconds: 15,
  retries: 0,
  handle: (platform) =>
    workFairly({
      queue: platform.queues("revocations", places),
      take: (busy) =>
        tokens.takePendingAcrossOrganizations(platform.db, busy, perOrganization, batch, pauses),
      getKey: ({ orgId }) => orgId,
      work: (pending) => revoke(platform, pending),
      perKey: perOrganization,
    }),
});

async function revoke(platform: Platform, pending: tokens.Pending): Promise<void> {
  const { db } = platform;
  const { orgId, id, attempts, deaths } = pending;
  const isPoison = deaths >= mostDeaths;
  const outcome = isPoison
    ? new OAuthFailure("unusable", "worker_died", "The process ended twice during the revocation.")
    : await tell(platform, pending);
  const lastTry = isPoison || attempts > pauses.length;
  if (outcome instanceof OAuthFailure && !lastTry) {
    return void (await tokens.putRevokeError(db, orgId, id, outcome.code));
  }
  const failed = outcome instanceof OAuthFailure;
  const state = failed ? "failed" : outcome;
  await db.transaction(async (tx) => {
    await tokens.putRevoked(tx, orgId, id, state, failed ? outcome.code : null);
    const connection = await findOfToken(tx, orgId, id);
    if (connection) {
      const about = { providerId: connection.providerId, connectionId: connection.id };
      const detail = failed ? { code: outcome.code } : { outcome: state };
      await note(tx, orgId, state === "revoked" ? "revoked" : "revoke_failed", theService, about, detail);
    }
  });
}

async function tell(
  platform: Platform,
  { orgId, id, credentialsId, ...sealed }: tokens.Pending,
): Promise<"revoked" | "not_offered" | OAuthFailure> {
  let refreshRevoked = false;
  try {
    const credentials = await findCredentials(platform.db, orgId, credentialsId);
    if (!credentials) return "not_offered";
    const peer = peerOf(platform, orgId, credentials);
    if (!peer.server.revocation) return "not_offered";
    const bound = { id, orgId, client: credentials };
    // The refresh token first: with it goes, at most providers, every access token that came from it.
    if (sealed.refreshToken && peer.server.revocation.style === "rfc7009") {
      const token = openToken(platform.keyring, bound, "refresh_token", sealed.refreshToken);
      await revokeToken(peer, token, "refresh_token");
      refreshRevoked = true;
    }
    if (sealed.accessToken) {
      const token = openToken(platform.keyring, bound, "access_token", sealed.accessToken);
      await revokeToken(peer, token, "access_token");
    }
    return "revoked";
  } catch (error) {
    if (!(error instanceof OAuthFailure)) {
      platform.log.error({ err: error, token: id }, "revocation failed");
      return new OAuthFailure("unusable", "internal_error", "The token could not be read.");
    }
    return refreshRevoked && error.code === "unsupported_token_type" ? "revoked" : error;
  }
}
