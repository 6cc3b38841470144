import type { OrgId, Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { pruneLeftovers, pruneRun } from "../events/index.ts";
import { removeOfRun } from "../late-reports/index.ts";
import { removeExpiredTokensAcrossOrganizations } from "../runners/index.ts";
import {
  forgetLeftBehind,
  listLeftBehindOfAll,
  listOrganizationsOfAll,
  listToPrune,
  markPruned,
  removeOld,
  removeSomeRuns,
} from "../runs/index.ts";
import { settingsOf } from "../settings/index.ts";
import { removeSomeUsage } from "../usage/index.ts";

/** One round works that long and leaves the rest to the next. */
const roundMs = 60_000;
const atOnce = 100;
/** How long one organization is pruned before the next one has its turn. */
const stepMs = 2_000;

/** Removes what organizations no longer keep: events first, then the runs themselves, in small steps. */
export const prune = job({
  name: "automations.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneAll(platform, Date.now() + roundMs),
});

export async function pruneAll({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  await removeExpiredTokensAcrossOrganizations(db);
  const unfinished: OrgId[] = [];
  for (let after = ""; Date.now() < until; ) {
    const organizations = await listOrganizationsOfAll(db, after, atOnce);
    unfinished.push(
      ...(await pruneOnce(
        db,
        organizations.map(({ orgId }) => orgId),
        until,
      )),
    );
    if (organizations.length < atOnce) break;
    after = organizations.at(-1)!.orgId;
  }
  // Organizations with more data get further steps in turn, so a large one does not take the whole round.
  for (let left = unfinished; left.length > 0 && Date.now() < until; )
    left = await pruneOnce(db, left, until);
  await removeLeftBehind(db, until);
  await pruneLeftovers(db, until);
}

const step = 1_000;

/** Removes what organizations that are gone left behind. */
async function removeLeftBehind(db: Platform["db"], until: number): Promise<void> {
  for (const { orgId } of await listLeftBehindOfAll(db, atOnce)) {
    for (const removeSome of [removeSomeRuns, removeSomeUsage])
      while ((await removeSome(db, orgId, step)) === step) if (Date.now() >= until) return;
    await forgetLeftBehind(db, orgId);
  }
}

/** Runs one step for each organization. Returns those that have more to delete. */
async function pruneOnce(db: Platform["db"], organizations: OrgId[], until: number): Promise<OrgId[]> {
  const unfinished: OrgId[] = [];
  for (const orgId of organizations) {
    if (Date.now() >= until) return unfinished;
    if (await pruneStep(db, orgId, Math.min(until, Date.now() + stepMs))) unfinished.push(orgId);
  }
  return unfinished;
}

/** Returns true when there is more to delete. */
async function pruneStep(db: Platform["db"], orgId: OrgId, until: number): Promise<boolean> {
  const { eventRetentionDays, runRetentionDays } = await settingsOf(db, orgId);
  const runs = await listToPrune(db, orgId, eventRetentionDays, atOnce);
  for (const { id, no } of runs) {
    if (!(await pruneRun(db, no, until))) return true;
    await removeOfRun(db, orgId, id);
    await markPruned(db, orgId, id);
    if (Date.now() >= until) return true;
  }
  if (runs.length === atOnce) return true;
  return (await removeOld(db, orgId, runRetentionDays, atOnce)) === atOnce;
}
