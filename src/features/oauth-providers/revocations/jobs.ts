import type { Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { job } from "../../../platform/jobs/index.ts";
import { OAuthFailure, revokeToken } from "../../../platform/oauth/index.ts";
import { peerOf } from "../clients/setup.ts";
import { findCredentials } from "../clients/store.ts";
import { findOfToken } from "../connections/store.ts";
import { note, theService } from "../events/index.ts";
import { openToken } from "../tokens/sealing.ts";
import * as tokens from "../tokens/store.ts";

const batch = 20;
/** Minutes between tries: a day in all. Then the token is erased, and what is true is said. */
const pauses = [1, 5, 15, 60, 180, 360, 720];

/** The row is the job: whatever ended a connection, and be it a cascade of the database, left it there. */
export const revokePending = job({
  name: "oauth.revoke",
  schedule: "* * * * *",
  everySeconds: 15,
  retries: 0,
  async handle(platform) {
    for (;;) {
      const pending = await tokens.takePendingOfAll(platform.db, batch, pauses);
      await Promise.all(pending.map((one) => revoke(platform, one)));
      if (pending.length < batch) return;
    }
  },
});

/** Does it without waiting for the next look, once the transaction is committed. */
export const revokeSoon = ({ jobs }: Platform, tx: Db) => jobs.add(tx, revokePending, {});

async function revoke(platform: Platform, pending: tokens.Pending): Promise<void> {
  const { db } = platform;
  const { orgId, id, attempts } = pending;
  const outcome = await tell(platform, pending);
  const lastTry = attempts > pauses.length;
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
    const peer = credentials && peerOf(platform, credentials);
    if (!peer?.server.revocation) return "not_offered";
    // The refresh token first: with it goes, at most providers, every access token that came from it.
    if (sealed.refreshToken && peer.server.revocation.style === "rfc7009") {
      const token = openToken(platform.keyring, id, "refresh_token", sealed.refreshToken);
      await revokeToken(peer, token, "refresh_token");
      refreshRevoked = true;
    }
    if (sealed.accessToken) {
      const token = openToken(platform.keyring, id, "access_token", sealed.accessToken);
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
