import type { Platform } from "../../platform/context.ts";
import { dayMs } from "../../platform/days.ts";
import { findMove, readMarks } from "../../platform/marks/index.ts";
import * as repair from "../../platform/repair/store.ts";
import { type Finding, fixable, ok, problem, warning } from "./finding.ts";

type Db = Platform["db"];

/** Checks what can be repaired inside of the database. Without a finding there is nothing to say. */
export async function checkRepairs(db: Db): Promise<Finding[]> {
  const indexes = (await repair.listInvalidIndexes(db)).map(({ name }) =>
    fixable(
      problem(
        "indexes",
        `${name} is not valid, so it is not used`,
        `Run \`signalbox doctor --fix\`, or \`reindex index ${name}\`.`,
      ),
      async () => {
        await repair.rebuildIndex(db, name);
        return `rebuilt ${name}`;
      },
    ),
  );
  const sequences = (await repair.listLateSequences(db)).map((one) =>
    fixable(
      problem(
        "numbers",
        `the next number of ${one.table}.${one.column} exists already, so new rows will be refused`,
        "Run `signalbox doctor --fix`.",
      ),
      async () => {
        await repair.advanceSequence(db, one);
        return `${one.table}.${one.column} continues after its last number`;
      },
    ),
  );
  return [...indexes, ...sequences];
}

const oldDays = 7;

/** Tells whether this database is in force, and how old the last backup is. */
export async function checkMarks(db: Db): Promise<Finding[]> {
  const move = await findMove(db);
  if (move) return [problem("move", move.message)];
  const { lastBackup } = await readMarks(db);
  if (!lastBackup) return [ok("backup", "none yet with `signalbox backup`")];
  const { createdAt, rows, encrypted } = lastBackup;
  const what = `the last one is from ${new Date(createdAt).toISOString()}, ${rows} rows${encrypted ? ", encrypted" : ""}`;
  const days = Math.floor((Date.now() - createdAt) / dayMs);
  return [
    days < oldDays
      ? ok("backup", what)
      : warning("backup", what, "Back up again: `signalbox backup <file>`."),
  ];
}
