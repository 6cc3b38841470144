import type { Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import * as store from "./store.ts";

const batchSize = 10_000;
const maxRoundMs = 30_000;

/** Merges what requests added to the daily sums. Summaries are exact without it, but take longer. */
export const sumDays = job({
  name: "telemetry.sum",
  everySeconds: 60,
  isDue: store.hasSumsToMerge,
  handle: (platform) => mergeAll(platform, Date.now() + maxRoundMs),
});

export async function mergeAll({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  while ((await store.mergeSumsAcrossOrganizations(db, batchSize)) === batchSize)
    if (Date.now() >= until) return;
}
