import type { Platform } from "../../../platform/context.ts";
import { workFairly } from "../../../platform/fair-work.ts";
import { job } from "../../../platform/jobs/index.ts";
import { refreshToken, settleLapsed } from "./refresh.ts";
import * as store from "./store.ts";

const batch = 40;
const perOrganization = 4;
const places = { capacity: 8, maxWaitMs: 10 * 60_000, maxWaiting: 10_000, maxWaitingPerKey: 1_000 };

/** Renews what is used and soon over, so that no agent waits; and finds what was left in the middle. */
export const keepFresh = job({
  name: "oauth.keep-fresh",
  schedule: "* * * * *",
  everySeconds: 20,
  retries: 0,
  async handle(platform) {
    await settleAll(platform);
    await renewExpiring(platform);
  },
});

async function settleAll(platform: Platform): Promise<void> {
  for (const lapsed of await store.listLapsedOfAll(platform.db, batch)) await settleLapsed(platform, lapsed);
}

async function renewExpiring(platform: Platform): Promise<void> {
  /** Tokens of this round. A token that could not be refreshed waits for the next round. */
  const seen = new Set<string>();
  await workFairly({
    queue: platform.queues("token refreshes", places),
    async take(busy) {
      const expiring = await store.listExpiringAcrossOrganizations(platform.db, busy, perOrganization, batch);
      const fresh = expiring.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      return fresh;
    },
    getKey: ({ orgId }) => orgId,
    work: (token) => refreshToken(platform, token.orgId, token, Date.now() + 15_000),
    perKey: perOrganization,
  });
}
