import type { Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { removeOldOfAll } from "./store.ts";

/** One round works that long and leaves the rest to the next. */
const roundMs = 60_000;
const atOnce = 200;

/** Removes old deliveries in small steps. */
export const prune = job({
  name: "webhooks.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneDeliveries(platform, Date.now() + roundMs),
});

export async function pruneDeliveries(
  { db, config }: Pick<Platform, "db" | "config">,
  until: number,
): Promise<void> {
  while (Date.now() < until && (await removeOldOfAll(db, config.webhookRetentionDays, atOnce)) === atOnce);
}
