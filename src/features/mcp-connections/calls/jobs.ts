import type { Platform } from "../../../platform/context.ts";
import { dayMs } from "../../../platform/days.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import { job } from "../../../platform/jobs/index.ts";
import * as store from "./store.ts";

const retentionDays = 90;
const rowsPerStep = 2_000;
const organizationsPerStep = 100;
const maxRoundMs = 60_000;
/** Sorts after every id. */
const lastId = "~";

/** Deletes expired payloads, calls after 90 days, and everything of deleted organizations, in small steps. */
export async function removeOldCalls(
  { db }: Pick<Platform, "db">,
  until = Date.now() + maxRoundMs,
): Promise<void> {
  while ((await store.removeExpiredPayloadsAcrossOrganizations(db, rowsPerStep)) === rowsPerStep)
    if (Date.now() >= until) return;
  const firstKept = smallestIdAt("mcl", Date.now() - retentionDays * dayMs);
  for (let isLeft = true; isLeft; ) {
    isLeft = false;
    // Every organization has one step at a time, in turn.
    for (let after = ""; ; ) {
      const owners = await store.listOwnersAcrossOrganizations(db, after, organizationsPerStep);
      for (const { orgId, exists } of owners) {
        after = orgId;
        const removed = await store.removeOldCalls(db, orgId, exists ? firstKept : lastId, rowsPerStep);
        if (removed === rowsPerStep) isLeft = true;
        if (Date.now() >= until) return;
      }
      if (owners.length < organizationsPerStep) break;
    }
  }
}

export const callJobs = [
  job({
    name: "mcp_calls.prune",
    schedule: "*/10 * * * *",
    handle: (platform) => removeOldCalls(platform),
  }),
];
