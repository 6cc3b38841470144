import type { Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { removeOldAcrossOrganizations } from "../refused/index.ts";
import { removeOldOfAll } from "./store.ts";

/** One round works that long and leaves the rest to the next. */
const roundMs = 60_000;
const atOnce = 200;

/** Removes old deliveries and old records of refused deliveries, in small steps. */
export const prune = job({
  name: "webhooks.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneDeliveries(platform, Date.now() + roundMs),
});

export async function pruneDeliveries(
  { db, config }: Pick<Platform, "db" | "config">,
  until: number,
): Promise<void> {
  for (const remove of [removeOldOfAll, removeOldAcrossOrganizations])
    while (Date.now() < until && (await remove(db, config.webhookRetentionDays, atOnce)) === atOnce);
}
