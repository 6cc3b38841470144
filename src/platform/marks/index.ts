/** What maintenance commands note in the database itself. Copies of a database do not contain it. */
import { z } from "zod";
import type { Db } from "../db/index.ts";
import { OperatorError } from "../errors.ts";
import * as store from "./store.ts";

export const Backup = z.object({
  createdAt: z.number(),
  bytes: z.number(),
  rows: z.number(),
  encrypted: z.boolean(),
});
export type Backup = z.output<typeof Backup>;

/** `id` is the same in both databases of a move. `place` names the other database, without a password. */
const Move = z.object({ id: z.string(), place: z.string() });
export type Move = z.output<typeof Move>;

export interface Marks {
  lastBackup: Backup | undefined;
  /** This database is not in force any more. */
  movedTo: Move | undefined;
  /** This database has all rows, but the other one may still be in force. */
  movingFrom: Move | undefined;
}

export async function readMarks(db: Db): Promise<Marks> {
  const marks = (await store.hasTable(db)) ? await store.list(db) : [];
  const find = (name: store.MarkName) => marks.find((mark) => mark.name === name)?.detail;
  return {
    lastBackup: Backup.optional().parse(find("last_backup")),
    movedTo: Move.optional().parse(find("moved_to")),
    movingFrom: Move.optional().parse(find("moving_from")),
  };
}

/** A database of a version without marks keeps none. */
export async function markBackup(db: Db, backup: Backup): Promise<void> {
  if (await store.hasTable(db)) await store.put(db, "last_backup", backup);
}

export const markMovedTo = (db: Db, move: Move) => store.put(db, "moved_to", move);
export const markMovingFrom = (db: Db, move: Move) => store.put(db, "moving_from", move);
export const unmarkMovingFrom = (db: Db) => store.remove(db, "moving_from");

/** Returns an error when this database is a copy that is not in force. */
export async function findMove(db: Db): Promise<OperatorError | undefined> {
  const { movedTo, movingFrom } = await readMarks(db);
  if (movedTo)
    return new OperatorError(
      `This instance was moved to ${movedTo.place}. Start it there: set DATABASE_URL or DATA_DIR to that place.`,
    );
  if (movingFrom)
    return new OperatorError(
      `The move from ${movingFrom.place} to this database is not finished. Run the same \`signalbox move\` again: ` +
        "it continues where it stopped.",
    );
  return undefined;
}
