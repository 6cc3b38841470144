import type { Platform } from "../../../platform/context.ts";
import { keepAtMost } from "../../quotas/index.ts";
import * as store from "./store.ts";

const keptDays = 30;
const atOnce = 500;

/** Removes old deliveries, and finished ones beyond an endpoint's quota, in small steps. Pending ones are kept. */
export async function pruneDeliveries(
  platform: Pick<Platform, "config" | "db" | "log">,
  until: number,
): Promise<void> {
  const { db, log } = platform;
  while (Date.now() < until && (await store.removeOldOfAll(db, keptDays, atOnce)) === atOnce);
  for (let after = ""; Date.now() < until; ) {
    const endpoints = await store.listEndpointsOfAll(db, after, atOnce);
    for (const { id, orgId } of endpoints) {
      const keep = await keepAtMost(platform, db, orgId, "webhook_endpoint_deliveries");
      while (Date.now() < until && (await store.removeBeyond(db, orgId, id, keep, atOnce)) === atOnce);
      // Ended after the removal, so that people can see them until the next round.
      while (Date.now() < until) {
        const ended = await store.endBeyond(db, orgId, id, keep, atOnce);
        if (ended > 0)
          log.warn({ orgId, endpointId: id, ended }, "webhook deliveries failed: too many are pending");
        if (ended < atOnce) break;
      }
    }
    if (endpoints.length < atOnce) return;
    after = endpoints.at(-1)!.id;
  }
}
