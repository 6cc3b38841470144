import type { Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { renew, settleLapsed } from "./refresh.ts";
import * as store from "./store.ts";

const batch = 40;
const atOnce = 4;

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
  const expiring = await store.listExpiringOfAll(platform.db, batch);
  const lane = async () => {
    for (let next = expiring.pop(); next; next = expiring.pop()) {
      await renew(platform, next.orgId, next, Date.now() + 15_000);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
