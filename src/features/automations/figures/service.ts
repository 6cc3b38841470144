import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import * as store from "./store.ts";
import { addTree, isEmpty, type Tree } from "./tree.ts";

const orgsPerRound = 500;
/** The most runs, and the most reports, of one transaction. */
const maxRowsPerStep = 2_500;
const quartersPerHour = 4;

/** Adds runs that have ended, and reports, to the sums of their organizations, in steps and in turns. */
export async function sumFigures({ db }: Pick<Platform, "db">, until: number): Promise<void> {
  for (;;) {
    const newest = await store.findNewestMarkAcrossOrganizations(db);
    const orgIds = await store.listOrgIdsToSumAcrossOrganizations(db, newest, orgsPerRound);
    for (const orgId of orgIds) {
      await sumStep(db, orgId, newest);
      if (Date.now() >= until) return;
    }
    if (orgIds.length === 0) return;
  }
}

/**
 * Adds the next runs and reports to the sums, and moves the mark past them in the same transaction, so that each counts
 * once. A run that has ended does not change, and the cost of a report changes only together with the sums.
 */
export const sumStep = (db: Db, orgId: OrgId, until: store.Mark): Promise<void> =>
  db.transaction(async (tx) => {
    const from = await store.lockMark(tx, orgId);
    if (from === undefined) return;
    const end = await store.findStepEnd(tx, orgId, from, until, maxRowsPerStep);
    const sums = createSums(orgId);
    for (const runs of await store.listEndedRuns(tx, orgId, from, end)) sums.addRuns(runs, 1);
    for (const costs of await store.listReportedCosts(tx, orgId, from, end)) sums.addCosts(costs);
    await sums.save(tx);
    await store.moveMark(tx, orgId, end);
  });

/** Takes runs that the caller is about to remove from the sums. The caller has locked them. */
export async function subtractRuns(tx: Db, orgId: OrgId, ids: readonly string[]): Promise<void> {
  const mark = await store.lockMark(tx, orgId);
  if (mark === undefined) return;
  const sums = createSums(orgId);
  for (const runs of await store.listRunsBefore(tx, orgId, ids, mark)) sums.addRuns(runs, -1);
  await sums.save(tx);
}

/** Changes the sums as the costs of reports change, in the transaction that changes the reports. */
export async function adjustCosts(tx: Db, orgId: OrgId, changes: readonly store.CostChange[]): Promise<void> {
  if (changes.every(({ micros }) => micros === 0)) return;
  const mark = await store.lockMark(tx, orgId);
  if (mark === undefined) return;
  const sums = createSums(orgId);
  for (const costs of await store.placeChanges(tx, orgId, changes, mark)) sums.addCosts(costs);
  await sums.save(tx);
}

/** Collects changes of sums: of the organization, and of the member that rows belong to. */
function createSums(orgId: OrgId) {
  const changes = new Map<string, store.DayFigures>();
  const add = ({ memberId, day }: { memberId: string; day: string }, figures: Partial<store.Figures>) => {
    for (const subjectId of [orgId, memberId]) {
      const key = `${day} ${subjectId}`;
      const change = changes.get(key) ?? { ...createFigures(), subjectId, day };
      changes.set(key, change);
      addFigures(change, figures);
    }
  };
  return {
    addRuns(rows: store.RunSums, sign: 1 | -1): void {
      const { status, reason, quarter, size } = rows;
      const runs = { [reason === null ? status : `${status} ${reason}`]: { [quarter]: sign * rows.runs } };
      const durations: Tree = size === null ? {} : { [size]: { n: sign * rows.runs, ms: sign * rows.ms } };
      const hour = Math.floor(quarter / quartersPerHour);
      add(rows, { runs, durations, hourlyDurations: { [hour]: durations } });
    },
    addCosts: (rows: store.CostSums): void => add(rows, { costs: { [rows.quarter]: rows.micros } }),
    /** The caller has locked the mark, so nobody else changes these sums. */
    async save(tx: Db): Promise<void> {
      if (changes.size === 0) return;
      for (const stored of await store.listFigures(tx, orgId, [...changes.values()]))
        addFigures(changes.get(`${stored.day} ${stored.subjectId}`)!, stored);
      const figures = Map.groupBy(changes.values(), isNothing);
      await store.saveFigures(tx, orgId, figures.get(false) ?? []);
      if (figures.has(true)) await store.removeFigures(tx, orgId, figures.get(true)!);
    },
  };
}

const names = ["runs", "costs", "durations", "hourlyDurations"] as const;
const createFigures = (): store.Figures => ({ runs: {}, costs: {}, durations: {}, hourlyDurations: {} });
const isNothing = (figures: store.Figures) => names.every((name) => isEmpty(figures[name]));

function addFigures(sums: store.Figures, added: Partial<store.Figures>): void {
  for (const name of names) addTree(sums[name], added[name] ?? {});
}
