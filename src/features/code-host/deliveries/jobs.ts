import type { Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { removeOldAcrossOrganizations as removeOldRefusals } from "../refused/index.ts";
import { removeOldAcrossOrganizations as removeOldDeliveries } from "./store.ts";

/** The time limit of one run. The next run continues. */
const maxRunMs = 60_000;
const batchSize = 200;

/** Removes old deliveries and old records of refused deliveries, in small steps. */
export const removeOldRecords = job({
  name: "webhooks.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneDeliveries(platform, Date.now() + maxRunMs),
});

export async function pruneDeliveries(
  { db, config }: Pick<Platform, "db" | "config">,
  until: number,
): Promise<void> {
  for (const remove of [removeOldDeliveries, removeOldRefusals])
    while (Date.now() < until && (await remove(db, config.webhookRetentionDays, batchSize)) === batchSize);
}
