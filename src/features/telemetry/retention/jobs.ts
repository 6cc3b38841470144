import type { OrgId, Platform } from "../../../platform/context.ts";
import { dayMs, toDay } from "../../../platform/days.ts";
import type { Db } from "../../../platform/db/index.ts";
import { smallestIdAt } from "../../../platform/ids.ts";
import { job } from "../../../platform/jobs/index.ts";
import { defineState } from "../../../platform/state.ts";
import { findStartOfDay } from "../days.ts";
import { removeOldNames } from "../names/index.ts";
import { removeOldPoints, removeUnchangedPoints } from "../points/index.ts";
import { removeOldSums } from "../rollups/index.ts";
import { findStoredSettings, markPruned, markPrunedOn } from "../settings/index.ts";
import * as store from "./store.ts";

const maxRoundMs = 60_000;
const organizationsPerStep = 100;
const rowsPerStep = 2_000;
/** Finding points to delete reads all points of the organization, so more of them are deleted at once. */
const pointsPerStep = 20_000;
/** How long daily sums are kept. */
const dayRetention = 800;

/** The organization after which the next round begins. */
export const pruneTurn = defineState({ name: "telemetry prune turn", create: () => ({ after: "" }) });

/** Deletes events beyond the retention of each organization, in small steps. */
export const prune = job({
  name: "telemetry.prune",
  schedule: "*/10 * * * *",
  handle: (platform) => pruneAll(platform, Date.now() + maxRoundMs),
});

/**
 * Every organization has one step at a time, in turn, and the next round continues where this one ends. So nobody waits
 * for an organization with much to delete.
 */
export async function pruneAll({ db, state }: Pick<Platform, "db" | "state">, until: number): Promise<void> {
  const turn = state.get(pruneTurn);
  for (let isWholeLap = turn.after === "", isLeft = false; ; ) {
    const owners = await store.listOwnersAcrossOrganizations(
      db,
      turn.after,
      toDay(Date.now()),
      organizationsPerStep,
    );
    for (const owner of owners) {
      turn.after = owner.orgId;
      if (owner.isPruned) continue;
      if (!(await pruneStep(db, owner))) isLeft = true;
      if (Date.now() >= until) return;
    }
    if (owners.length === organizationsPerStep) continue;
    turn.after = "";
    if (isWholeLap && !isLeft) return;
    isWholeLap = true;
    isLeft = false;
  }
}

/** Deletes a limited number of rows. Returns whether nothing is left to delete, or nothing may be deleted yet. */
async function pruneStep(db: Db, { orgId, exists, isSettled }: store.TelemetryOwner): Promise<boolean> {
  if (!exists) return runStages(listStagesOfDeleted(db, orgId));
  if (!isSettled) return true;
  const { retentionDays } = await findStoredSettings(db, orgId);
  const today = findStartOfDay(Date.now());
  const before = today - retentionDays * dayMs;
  // First the mark: events of these days must not be accepted again when their ids are forgotten.
  await markPruned(db, orgId, toDay(before));
  const isDone = await runStages(listStages(db, orgId, today, before));
  if (isDone) await markPrunedOn(db, orgId, toDay(today), retentionDays);
  return isDone;
}

interface Stage {
  limit: number;
  remove(limit: number): Promise<number>;
}

/** Runs the stages until one of them has deleted as many rows as it may. */
async function runStages(stages: readonly Stage[]): Promise<boolean> {
  for (const { limit, remove } of stages) if ((await remove(limit)) === limit) return false;
  return true;
}

/** Sorts after every id. */
const lastId = "~";

const listStagesOfDeleted = (db: Db, orgId: OrgId): Stage[] => [
  { limit: rowsPerStep, remove: (limit) => store.removeOldEvents(db, orgId, lastId, limit) },
  { limit: rowsPerStep, remove: (limit) => removeOldSums(db, orgId, null, limit) },
];

function listStages(db: Db, orgId: OrgId, today: number, before: number): Stage[] {
  const sumsBegin = today - dayRetention * dayMs;
  const pointTimes = { before, abandonedBefore: sumsBegin };
  const firstId = smallestIdAt("tev", before);
  return [
    { limit: rowsPerStep, remove: (limit) => store.removeOldEvents(db, orgId, firstId, limit) },
    { limit: pointsPerStep, remove: (limit) => removeOldPoints(db, orgId, pointTimes, limit) },
    // Points that arrive later than this are rare, and are still counted, except after a restart that nobody reported.
    { limit: pointsPerStep, remove: (limit) => removeUnchangedPoints(db, orgId, today - dayMs, limit) },
    { limit: rowsPerStep, remove: (limit) => removeOldNames(db, orgId, toDay(before), limit) },
    { limit: rowsPerStep, remove: (limit) => removeOldSums(db, orgId, toDay(sumsBegin), limit) },
  ];
}
