import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { listOrganizationsDueAgainAcrossOrganizations } from "../upgrades/index.ts";
import { continueRolloutsOfOrganization } from "./service.ts";
import * as store from "./store.ts";

const batchSize = 40;
/** The next run, a minute later, continues with the rest. */
const maxRoundMs = 50_000;
const queueLimits = { capacity: 4, maxWaitMs: 60_000, maxWaiting: 10_000, maxWaitingPerKey: 10 };

/** Continues the rollouts of all organizations. Each gets one transaction at a time, so that none delays another. */
export async function continueRollouts({ db, queues }: Pick<Platform, "db" | "queues">): Promise<void> {
  const until = Date.now() + maxRoundMs;
  /** Organizations that have made no progress in this round. */
  const stuck = new Set<string>();
  await workFairly({
    queue: queues("worker rollouts", queueLimits),
    async take(busy) {
      if (Date.now() >= until) return [];
      const skipped = [...busy, ...stuck];
      const due = [
        ...(await store.listOrganizationsDueAcrossOrganizations(db, skipped, batchSize)),
        ...(await listOrganizationsDueAgainAcrossOrganizations(db, skipped, batchSize)),
      ];
      return [...new Set(due.map(({ orgId }) => orgId))];
    },
    getKey: (orgId) => orgId,
    async work(orgId) {
      let asked = 0;
      try {
        asked = await db.transaction((tx) => continueRolloutsOfOrganization(tx, orgId));
      } finally {
        if (asked === 0) stuck.add(orgId);
      }
    },
    perKey: 1,
  });
}
