import type { OrgId, Platform } from "../../../platform/context.ts";
import { job } from "../../../platform/jobs/index.ts";
import { pruneLeftovers, pruneRun } from "../events/index.ts";
import { removeOfRun } from "../late-reports/index.ts";
import { removeExpiredTokensOfAll } from "../runners/index.ts";
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

/** Removes what organizations no longer keep: events first, then the runs themselves, in small steps. */
export const prune = job({
  name: "automations.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneAll(platform, Date.now() + roundMs),
});

export async function pruneAll({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  await removeExpiredTokensOfAll(db);
  for (let after = ""; Date.now() < until; ) {
    const organizations = await listOrganizationsOfAll(db, after, atOnce);
    for (const { orgId } of organizations) await pruneOrganization(db, orgId, until);
    if (organizations.length < atOnce) break;
    after = organizations.at(-1)!.orgId;
  }
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

async function pruneOrganization(db: Platform["db"], orgId: OrgId, until: number): Promise<void> {
  const { eventRetentionDays, runRetentionDays } = await settingsOf(db, orgId);
  while (Date.now() < until) {
    const runs = await listToPrune(db, orgId, eventRetentionDays, atOnce);
    for (const { id, no } of runs) {
      if (!(await pruneRun(db, no, until))) return;
      await removeOfRun(db, orgId, id);
      await markPruned(db, orgId, id);
    }
    if (runs.length < atOnce) break;
  }
  while (Date.now() < until && (await removeOld(db, orgId, runRetentionDays, atOnce)) === atOnce);
}
