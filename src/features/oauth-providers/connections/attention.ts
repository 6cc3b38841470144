import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { announce } from "../../notifications/index.ts";
import type { HealthReason } from "./contract.ts";
import { messageOf } from "./health.ts";
import * as store from "./store.ts";

/** Announces that a person must act for this connection to work: once per reason, until it is connected again. */
export const announceNeed = (
  tx: Db,
  orgId: OrgId,
  { id: connectionId, connectedAt }: store.ConnectionOfToken,
  reason: HealthReason,
): Promise<void> =>
  announce(tx, orgId, {
    type: "connection.needs_attention",
    ...{ connectionId, connectedAt, reason, message: messageOf(reason) },
  });

/** Marks the connections of an unusable token as `needs_reconnect` and announces each of them. */
export async function needReconnect(
  tx: Db,
  orgId: OrgId,
  tokenId: string,
  reason: HealthReason,
): Promise<store.ConnectionOfToken[]> {
  const connections = await store.needReconnect(tx, orgId, tokenId, reason);
  for (const connection of connections) await announceNeed(tx, orgId, connection, reason);
  return connections;
}

const atOnce = 200;

/** Marks connections whose token expired and cannot be refreshed, also while nobody asks for the token. */
export async function expireConnections(db: Db): Promise<void> {
  for (;;) {
    const expired = await store.listExpiredAcrossOrganizations(db, atOnce);
    for (const { orgId, tokenId } of expired)
      await db.transaction((tx) => needReconnect(tx, orgId, tokenId, "expired"));
    if (expired.length < atOnce) return;
  }
}
