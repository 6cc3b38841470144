import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { announce } from "../../notifications/index.ts";
import { isInternalProvider, toMcpConnectionId } from "../internal.ts";
import type { HealthReason } from "./contract.ts";
import { describeReason } from "./health.ts";
import * as store from "./store.ts";

/**
 * Announces that a person must act for this connection to work: once per reason, until it is connected again. An
 * account of an MCP connection is announced as that connection.
 */
export async function announceAttention(
  tx: Db,
  orgId: OrgId,
  { id, connectedAt, providerId, memberId }: store.TokenConnection,
  reason: HealthReason,
): Promise<void> {
  const about = isInternalProvider(providerId)
    ? { connectionId: toMcpConnectionId(providerId), memberId }
    : { connectionId: id };
  await announce(tx, orgId, {
    type: "connection.needs_attention",
    ...{ ...about, connectedAt, reason, message: describeReason(reason) },
  });
}

/** Marks the connections of an unusable token as `needs_reconnect` and announces each of them. */
export async function markForReconnect(
  tx: Db,
  orgId: OrgId,
  tokenId: string,
  reason: HealthReason,
): Promise<store.TokenConnection[]> {
  const connections = await store.markForReconnect(tx, orgId, tokenId, reason);
  for (const connection of connections) await announceAttention(tx, orgId, connection, reason);
  return connections;
}

const batchSize = 200;

/** Marks connections whose token expired and cannot be refreshed, also while nobody asks for the token. */
export async function expireConnections(db: Db): Promise<void> {
  for (;;) {
    const expired = await store.listExpiredAcrossOrganizations(db, batchSize);
    for (const { orgId, tokenId } of expired)
      await db.transaction((tx) => markForReconnect(tx, orgId, tokenId, "expired"));
    if (expired.length < batchSize) return;
  }
}
