import type { Connection, Health, HealthReason } from "./contract.ts";
import type { ConnectionRow } from "./store.ts";

const messages: Record<HealthReason, string> = {
  no_refresh: "The provider gives no way to renew it. Connect again before it expires.",
  provider_unavailable:
    "The provider did not renew the token when it was last asked. It is asked again; nothing to do.",
  client_rejected:
    "The provider refuses the organization's OAuth client. An admin saves its current secret; then this goes on by itself.",
  revoked_at_provider: "The provider says that access was withdrawn or has expired. Connect again.",
  expired: "The access token has expired and the provider gives no way to renew it. Connect again.",
  refresh_uncertain:
    "The service stopped in the middle of renewing the token, so nobody knows whether the old one is spent. It is not sent again. Connect again.",
  disconnected: "It was disconnected.",
  client_changed: "The organization's OAuth client was changed or removed.",
  member_removed: "Its member has left the organization.",
};

export const describeReason = (reason: HealthReason): string => messages[reason];

/** True when the provider refuses the client itself. Then an admin must act, not the person who connected. */
export const isClientRejected = (code: string): boolean =>
  /^(?:invalid_client|unauthorized_client|http_40[13])$/.test(code);

const expiringMs = 24 * 3600_000;

const createHealth = (status: Health["status"], reason: HealthReason | null): Health => ({
  status,
  reason,
  message: reason ? messages[reason] : "It works.",
});

export function computeHealth(row: ConnectionRow, now: number): Health {
  if (row.status === "ended") return createHealth("ended", row.reason ?? "disconnected");
  if (row.status === "needs_reconnect") return createHealth("needs_reconnect", row.reason);
  if (row.refreshState === "uncertain" || (row.refreshState === "refreshing" && row.leaseOver)) {
    return createHealth("uncertain", "refresh_uncertain");
  }
  if (!row.refreshes && row.expiresAt !== null) {
    if (row.expiresAt <= now) return createHealth("needs_reconnect", "expired");
    if (row.expiresAt - now < expiringMs) return createHealth("expiring", "no_refresh");
  }
  if (row.lastError === null) return createHealth("connected", null);
  return createHealth(
    "connected",
    isClientRejected(row.lastError) ? "client_rejected" : "provider_unavailable",
  );
}

const revocations = {
  pending: "The provider is being told that the token is not used any more.",
  revoked: "The provider has been told; the token is worth nothing now.",
  not_offered:
    "The provider offers no way to tell it. The token was erased here; remove the access in the account's settings there.",
  failed:
    "The provider could not be told within a day. The token was erased here; remove the access in the account's settings there.",
  unneeded: "The provider had ended it already, or a new token took its place.",
} as const;

export function toConnection(row: ConnectionRow, now = Date.now()): Connection {
  const granted = new Set(row.scopes);
  return {
    id: row.id,
    providerId: row.providerId,
    account: row.label,
    shared: row.shared,
    memberId: row.memberId,
    outsideAccount:
      row.accountSubject === null ? null : { subject: row.accountSubject, name: row.accountName },
    health: computeHealth(row, now),
    scopes: {
      requested: row.requestedScopes,
      granted: row.scopes,
      missing: row.requestedScopes.filter((scope) => !granted.has(scope)),
    },
    tokenExpiresAt: row.expiresAt,
    refreshes: row.refreshes,
    lastUsedAt: row.lastUsedAt,
    connectedBy: row.connectedBy,
    connectedAt: row.connectedAt,
    endedAt: row.endedAt,
    revocation:
      row.status === "ended" && row.revokeState
        ? {
            status: row.revokeState,
            attempts: row.revokeAttempts,
            message:
              revocations[row.revokeState] + (row.revokeError ? ` Last answer: ${row.revokeError}.` : ""),
            at: row.revokedAt,
          }
        : null,
  };
}
