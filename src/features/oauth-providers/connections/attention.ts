import type { OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { announce } from "../../notifications/index.ts";
import type { HealthReason } from "./contract.ts";
import { messageOf } from "./health.ts";
import * as store from "./store.ts";

/** A person has to act for this connection to work: it is announced, once for each reason since it was connected. */
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

/** The token is worth nothing any more: its connections have to be made again, and that is announced. */
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

/** Finds connections whose token expired while nobody asked for it. */
export async function expireConnections(db: Db): Promise<void> {
  for (;;) {
    const expired = await store.listExpiredAcrossOrganizations(db, atOnce);
    for (const { orgId, tokenId } of expired)
      await db.transaction((tx) => needReconnect(tx, orgId, tokenId, "expired"));
    if (expired.length < atOnce) return;
  }
}
