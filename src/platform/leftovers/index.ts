/** Rows of deleted organizations. They cannot be reached, and are removed in steps. */
import type { OrgId, Platform } from "../context.ts";
import type { Db } from "../db/index.ts";
import * as store from "./store.ts";

/** Removes at most about `limit` rows of a deleted organization. Returns 0 when it has found none. */
export type RemoveLeftovers = (db: Db, orgId: OrgId, limit: number) => Promise<number>;

/** One statement. On the embedded engine, everything else waits for it. */
const rowsPerStep = 500;
const organizationsPerPage = 100;

interface Leftover {
  orgId: OrgId;
  isSettled: boolean;
  /** The tables of this function, and of the functions after it, may have rows. */
  next: number;
}

/**
 * Every organization has one step at a time, in turn. A crash loses nothing: the mark of an organization is removed last,
 * after a round that began when no statement from before the deletion could still run.
 */
export async function removeLeftovers(
  { db }: Pick<Platform, "db">,
  removers: readonly RemoveLeftovers[],
  until: number,
): Promise<void> {
  let unfinished: Leftover[] = [];
  const failures: unknown[] = [];
  const removeStep = async (leftover: Leftover): Promise<void> => {
    try {
      if (await removeSome(db, removers, leftover)) unfinished.push(leftover);
      else if (leftover.isSettled) await store.removeMark(db, leftover.orgId);
    } catch (error) {
      // The others go on. This organization has its turn again in the next round.
      failures.push(error);
    }
  };
  const end = () => {
    if (failures.length > 0) throw failures[0];
  };
  for (let after = ""; ; ) {
    const marks = await store.listAcrossOrganizations(db, after, organizationsPerPage);
    for (const mark of marks) {
      if (Date.now() >= until) return end();
      await removeStep({ ...mark, next: 0 });
    }
    if (marks.length < organizationsPerPage) break;
    after = marks.at(-1)!.orgId;
  }
  while (unfinished.length > 0) {
    const turn = unfinished;
    unfinished = [];
    for (const leftover of turn) {
      if (Date.now() >= until) return end();
      await removeStep(leftover);
    }
  }
  end();
}

/** Returns whether rows were removed, so that more may be left. */
async function removeSome(
  db: Db,
  removers: readonly RemoveLeftovers[],
  leftover: Leftover,
): Promise<boolean> {
  for (; leftover.next < removers.length; leftover.next++)
    if ((await removers[leftover.next]!(db, leftover.orgId, rowsPerStep)) > 0) return true;
  return false;
}
