import type { Platform } from "../../../platform/context.ts";
import { findKeepLimit } from "../../quotas/index.ts";
import * as store from "./store.ts";

const retentionDays = 30;
const batchSize = 500;

/** Removes old deliveries, and finished ones beyond an endpoint's quota, in small steps. Pending ones are kept. */
export async function pruneDeliveries(
  platform: Pick<Platform, "config" | "db" | "log">,
  until: number,
): Promise<void> {
  const { db, log } = platform;
  while (
    Date.now() < until &&
    (await store.removeOldAcrossOrganizations(db, retentionDays, batchSize)) === batchSize
  );
  for (let after = ""; Date.now() < until; ) {
    const endpoints = await store.listEndpointsAcrossOrganizations(db, after, batchSize);
    for (const { id, orgId } of endpoints) {
      const keep = await findKeepLimit(platform, db, orgId, "webhook_endpoint_deliveries");
      while (Date.now() < until && (await store.removeBeyond(db, orgId, id, keep, batchSize)) === batchSize);
      // Ended after the removal, so that people can see them until the next round.
      while (Date.now() < until) {
        const ended = await store.failBeyond(db, orgId, id, keep, batchSize);
        if (ended > 0)
          log.warn({ orgId, endpointId: id, ended }, "webhook deliveries failed: too many are pending");
        if (ended < batchSize) break;
      }
    }
    if (endpoints.length < batchSize) return;
    after = endpoints.at(-1)!.id;
  }
}
