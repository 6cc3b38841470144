import type { OrgId, Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import {
  keepPartitions,
  leaveEventsOfRun,
  removeEventsOfRun,
  removeLeftoverEvents,
} from "../events/index.ts";
import { removeByRun } from "../late-reports/index.ts";
import { removeExpiredTokensAcrossOrganizations } from "../runners/index.ts";
import { listOrgIdsAcrossOrganizations, listToPrune, markPruned, removeOld } from "../runs/index.ts";
import { findLongestEventRetention, readSettings } from "../settings/index.ts";

/** The time limit of one round. The next round continues. */
const maxRoundMs = 60_000;
const batchSize = 100;
/** How long one organization is pruned before the next one has its turn. */
const maxStepMs = 2_000;

/** Removes data beyond the retention of each organization: first events, then runs, in small steps. */
export const prune = job({
  name: "automations.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneAll(platform, Date.now() + maxRoundMs),
});

export async function pruneAll({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  await removeExpiredTokensAcrossOrganizations(db);
  const longest = await findLongestEventRetention(db);
  const unfinished: OrgId[] = [];
  for (let after = ""; Date.now() < until; ) {
    const organizations = await listOrgIdsAcrossOrganizations(db, after, batchSize);
    unfinished.push(
      ...(await pruneOrganizations(
        db,
        organizations.map(({ orgId }) => orgId),
        longest,
        until,
      )),
    );
    if (organizations.length < batchSize) break;
    after = organizations.at(-1)!.orgId;
  }
  // Organizations with more data get further steps in turn, so a large one does not take the whole round.
  for (let left = unfinished; left.length > 0 && Date.now() < until; )
    left = await pruneOrganizations(db, left, longest, until);
  await keepPartitions(db);
  await removeLeftoverEvents(db, until);
}

/** Runs one step for each organization. Returns those that have more to delete. */
async function pruneOrganizations(
  db: Platform["db"],
  organizations: OrgId[],
  longestDays: number,
  until: number,
): Promise<OrgId[]> {
  const unfinished: OrgId[] = [];
  for (const orgId of organizations) {
    if (Date.now() >= until) return unfinished;
    const stepUntil = Math.min(until, Date.now() + maxStepMs);
    if (await pruneOrganization(db, orgId, longestDays, stepUntil)) unfinished.push(orgId);
  }
  return unfinished;
}

/**
 * Returns true when there is more to delete. Events that no organization keeps longer are left to the drop of their
 * partition; others are deleted, because their partition stays.
 */
async function pruneOrganization(
  db: Platform["db"],
  orgId: OrgId,
  longestDays: number,
  until: number,
): Promise<boolean> {
  const { eventRetentionDays, runRetentionDays } = await readSettings(db, orgId);
  const runs = await listToPrune(db, orgId, eventRetentionDays, batchSize);
  for (const { id, no } of runs) {
    if (eventRetentionDays >= longestDays) await leaveEventsOfRun(db, orgId, no);
    else if (!(await removeEventsOfRun(db, orgId, no, until))) return true;
    await removeByRun(db, orgId, id);
    await markPruned(db, orgId, id);
    if (Date.now() >= until) return true;
  }
  if (runs.length === batchSize) return true;
  return (await removeOld(db, orgId, runRetentionDays, batchSize)) === batchSize;
}
