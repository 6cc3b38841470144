import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import { job } from "../../../platform/jobs/index.ts";
import { dayMs, findStartOfDay, toDay } from "../days.ts";
import { removeOldNames } from "../names/index.ts";
import { removeOldPoints, removeUnchangedPoints } from "../points/index.ts";
import { removeOldDays } from "../rollups/index.ts";
import { findStoredSettings, markPruned } from "../settings/index.ts";
import * as store from "./store.ts";

const maxRoundMs = 60_000;
const organizationsPerStep = 100;
const rowsPerStep = 2_000;
/** How long daily sums are kept. */
const dayRetention = 800;

/** Deletes events beyond the retention of each organization, in small steps. */
export const prune = job({
  name: "telemetry.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneAll(platform, Date.now() + maxRoundMs),
});

export async function pruneAll({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  for (let after = ""; Date.now() < until; ) {
    const organizations = await store.listOrgIdsAcrossOrganizations(db, after, organizationsPerStep);
    for (const { orgId, exists, isSettled } of organizations) {
      if (!exists) await removeRows((limit) => store.removeOldEvents(db, orgId, lastId, limit), until);
      // Requests that still use the settings from before a change must have ended.
      else if (isSettled) await pruneOrganization(db, orgId, until);
    }
    if (organizations.length < organizationsPerStep) return;
    after = organizations.at(-1)!.orgId;
  }
}

/** Sorts after every id. */
const lastId = "~";

async function pruneOrganization(db: Db, orgId: OrgId, until: number): Promise<void> {
  const { retentionDays } = await findStoredSettings(db, orgId);
  const today = findStartOfDay(Date.now());
  const before = today - retentionDays * dayMs;
  // First the mark: events of these days must not be accepted again when their ids are forgotten.
  await markPruned(db, orgId, toDay(before));
  await removeRows((limit) => store.removeOldEvents(db, orgId, smallestIdAt("tev", before), limit), until);
  const sumsBegin = today - dayRetention * dayMs;
  const pointTimes = { before, abandonedBefore: sumsBegin };
  await removeRows((limit) => removeOldPoints(db, orgId, pointTimes, limit), until);
  // Points that arrive later than this are rare, and are still counted, except after a restart that nobody reported.
  await removeRows((limit) => removeUnchangedPoints(db, orgId, today - dayMs, limit), until);
  await removeRows((limit) => removeOldNames(db, orgId, toDay(before), limit), until);
  await removeRows((limit) => removeOldDays(db, orgId, toDay(sumsBegin), limit), until);
}

async function removeRows(remove: (limit: number) => Promise<number>, until: number): Promise<void> {
  while ((await remove(rowsPerStep)) === rowsPerStep) if (Date.now() >= until) return;
}
