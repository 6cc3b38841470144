import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { endUpgrade } from "./service.ts";
import * as store from "./store.ts";

const batchSize = 200;
const maxPerOrganization = 20;
const queueLimits = { capacity: 4, maxWaitMs: 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };

/** Ends upgrades whose time is over. Each is ended once, whatever the replicas. */
export async function timeOutUpgrades({ db, queues }: Pick<Platform, "db" | "queues">): Promise<void> {
  /** Upgrades of this round. One that could not be ended waits for the next round. */
  const triedIds = new Set<string>();
  await workFairly({
    queue: queues("worker upgrades", queueLimits),
    async take(busy) {
      const overdue = await store.listOverdueAcrossOrganizations(db, busy, maxPerOrganization, batchSize);
      const untried = overdue.filter(({ id }) => !triedIds.has(id));
      for (const { id } of untried) triedIds.add(id);
      return untried;
    },
    getKey: ({ orgId }) => orgId,
    work: ({ id, orgId, workerId }) =>
      db.transaction(async (tx) => {
        await store.lockWorker(tx, orgId, workerId);
        await endUpgrade(tx, orgId, id, "timed_out", "The worker did not report the new version in time.");
      }),
    perKey: maxPerOrganization,
  });
}
