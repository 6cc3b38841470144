import type { Collected, Statement } from "./collect.ts";
import { compareColumns } from "./compare.ts";
import type { MigratedDatabase } from "./database.ts";
import { findOuterTables } from "./outer-joins.ts";
import type { Program } from "./program.ts";
import { readRowType } from "./row-type.ts";
import { NotAnalysable } from "./values.ts";

export interface Exceptions {
  notAnalysed: readonly { file: string; calls: number }[];
  neverNull: readonly { file: string; column: string }[];
  removedJoins: readonly { file: string; alias: string }[];
}

export interface Checked {
  /** A line for each difference, with its place. */
  problems: string[];
  /** Exceptions that no statement needs. */
  unused: string[];
}

/** Prepares every text of every statement and compares its result with the declared row type. */
export async function checkStatements(
  program: Program,
  database: MigratedDatabase,
  { statements, failures }: Collected,
  { notAnalysed, neverNull, removedJoins }: Exceptions = { notAnalysed: [], neverNull: [], removedJoins: [] },
): Promise<Checked> {
  const problems = new Set<string>();
  const used = new Set<object>();
  const isNeverNull = (file: string, column: string) => {
    const found = neverNull.find((one) => one.file === file && (one.column === column || one.column === "*"));
    if (found) used.add(found);
    return found !== undefined;
  };

  for (const statement of statements) for (const text of statement.texts) await check(statement, text);
  const byFile = Map.groupBy(failures, ({ file }) => file);
  for (const [file, found] of byFile) {
    const exception = notAnalysed.find((one) => one.file === file);
    if (exception) used.add(exception);
    if (exception?.calls === found.length) continue;
    for (const { place, reason } of found)
      problems.add(`${place}: The statement cannot be analysed: ${reason}.`);
  }
  const unused = [...notAnalysed, ...neverNull].filter((one) => !used.has(one));
  return { problems: [...problems], unused: unused.map((one) => JSON.stringify(one)) };

  async function check({ place, file, row, typeArguments }: Statement, text: string): Promise<void> {
    const report = (problem: string) => problems.add(`${place}: ${problem}`);
    const ignored = removedJoins.filter((one) => one.file === file).map(({ alias }) => alias);
    try {
      const returned = await database.describe(text);
      const declared = row && readRowType(program.checker, row, typeArguments);
      if (!declared) return;
      const outerTables = findOuterTables(text, ignored);
      for (const { text, nullColumn } of compareColumns({ declared, returned, outerTables }))
        if (nullColumn === undefined || !isNeverNull(file, nullColumn)) report(text);
    } catch (error) {
      if (error instanceof NotAnalysable) report(`The statement cannot be analysed: ${error.message}.`);
      else report(`PostgreSQL refuses the statement: ${(error as Error).message}\n${text}`);
    }
  }
}
