/** Rows that a deletion has left. They cannot be reached, and are removed in steps. */
import type { OrgId, Platform } from "../context.ts";
import type { Db } from "../db/index.ts";
import * as store from "./store.ts";

/** Removes at most about `limit` rows of a deleted organization. Returns 0 when it has found none. */
export type RemoveLeftovers = (db: Db, orgId: OrgId, limit: number) => Promise<number>;

/** What was deleted. `isSettled`: no statement that began before the deletion still runs, so no row can follow. */
interface Mark {
  isSettled: boolean;
}

/** A kind of thing whose deletion leaves rows, and a mark until they are removed. */
export interface LeftoverKind<M extends Mark> {
  /** The next marks in the order of their keys. */
  listMarks: (db: Db, after: string, limit: number) => Promise<M[]>;
  readKey: (mark: M) => string;
  removeMark: (db: Db, mark: M) => Promise<unknown>;
  /** Each removes at most about `limit` rows, and returns 0 when it has found none. They are called in this order. */
  removers: readonly ((db: Db, mark: M, limit: number) => Promise<number>)[];
}

/** One statement. On the embedded engine, everything else waits for it. */
const rowsPerStep = 500;
const marksPerPage = 100;
/** The time limit of one round. The next one continues. */
export const maxRemovalMs = 50_000;

/** For deleted organizations. */
export const removeLeftovers = (
  { db }: Pick<Platform, "db">,
  removers: readonly RemoveLeftovers[],
  until: number,
): Promise<void> =>
  removeInSteps<store.DeletedOrganization>(
    db,
    {
      listMarks: store.listAcrossOrganizations,
      readKey: ({ orgId }) => orgId,
      removeMark: (db, { orgId }) => store.removeMark(db, orgId),
      removers: removers.map(
        (remove) =>
          (db, { orgId }, limit) =>
            remove(db, orgId, limit),
      ),
    },
    until,
  );

interface Leftover<M extends Mark> {
  mark: M;
  /** The tables of this function, and of the functions after it, may have rows. */
  next: number;
}

/**
 * Everything that was deleted has one step at a time, in turn. A crash loses nothing: a mark is removed last, after a
 * round that began when no statement from before the deletion could still run.
 */
export async function removeInSteps<M extends Mark>(
  db: Db,
  { listMarks, readKey, removeMark, removers }: LeftoverKind<M>,
  until: number,
): Promise<void> {
  let unfinished: Leftover<M>[] = [];
  const failures: unknown[] = [];
  /** Returns whether rows were removed, so that more may be left. */
  const removeSome = async (leftover: Leftover<M>): Promise<boolean> => {
    for (; leftover.next < removers.length; leftover.next++)
      if ((await removers[leftover.next]!(db, leftover.mark, rowsPerStep)) > 0) return true;
    return false;
  };
  const removeStep = async (leftover: Leftover<M>): Promise<void> => {
    try {
      if (await removeSome(leftover)) unfinished.push(leftover);
      else if (leftover.mark.isSettled) await removeMark(db, leftover.mark);
    } catch (error) {
      // The others go on. This one has its turn again in the next round.
      failures.push(error);
    }
  };
  const end = () => {
    if (failures.length > 0) throw failures[0];
  };
  for (let after = ""; ; ) {
    const marks = await listMarks(db, after, marksPerPage);
    for (const mark of marks) {
      if (Date.now() >= until) return end();
      await removeStep({ mark, next: 0 });
    }
    if (marks.length < marksPerPage) break;
    after = readKey(marks.at(-1)!);
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
