import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { job } from "../../../platform/jobs/index.ts";
import { refreshToken, settleAbandonedRefresh } from "./refresh.ts";
import * as store from "./store.ts";

const batchSize = 40;
const maxPerOrganization = 4;
const queueLimits = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };

/** Refreshes used tokens that expire soon, so that no agent waits, and settles abandoned refreshes. */
export const refreshExpiring = job({
  name: "oauth.keep-fresh",
  everySeconds: 20,
  retries: 0,
  async handle(platform) {
    await settleAbandonedRefreshes(platform);
    await refreshInTurns(platform);
  },
});

async function settleAbandonedRefreshes(platform: Platform): Promise<void> {
  for (const abandoned of await store.listAbandonedAcrossOrganizations(platform.db, batchSize))
    await settleAbandonedRefresh(platform, abandoned);
}

async function refreshInTurns(platform: Platform): Promise<void> {
  /** Tokens of this round. A token that could not be refreshed waits for the next round. */
  const triedIds = new Set<string>();
  await workFairly({
    queue: platform.queues("token refreshes", queueLimits),
    async take(busy) {
      const expiring = await store.listExpiringAcrossOrganizations(
        platform.db,
        busy,
        maxPerOrganization,
        batchSize,
      );
      const untried = expiring.filter(({ id }) => !triedIds.has(id));
      for (const { id } of untried) triedIds.add(id);
      return untried;
    },
    getKey: ({ orgId }) => orgId,
    work: (token) => refreshToken(platform, token.orgId, token, Date.now() + 15_000),
    perKey: maxPerOrganization,
  });
}
