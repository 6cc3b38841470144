import type { Pace } from "../../../platform/thread-turns.ts";
import { Rejection } from "./rejection.ts";
import { countValues } from "./values.ts";

/** What was not stored as it was sent. */
export interface Report {
  rejected: number;
  message: string | undefined;
}

/** How an item becomes what is stored. */
export interface Translation<Result> {
  /** What it reads. How much that is decides when others have their turn. */
  reads: readonly unknown[];
  /** Throws a `Rejection` when the item cannot be stored. */
  translate(): Result;
  /** Translates an item with too many values, without its lists. When it is absent, such an item is rejected. */
  translateWithoutLists?(): Result;
}

/** Far more than the attributes that are stored. Such an item would hold up others, because it is translated at once. */
export const maxValues = 20_000;

/** The time that each item takes, however few values it has, as a number of values. */
const itemWeight = 10;

/** The weight of translating an item, or of reading a resource, with so many values. */
export const findWeight = (values: number): number => (itemWeight + values) / 2;

/** Runs all translations, and counts those that reject their item. Others have their turn in between. */
export async function translateAll<Result>(
  translations: readonly Translation<Result>[],
  pace: Pace,
): Promise<{ results: Result[]; report: Report }> {
  const report: Report = { rejected: 0, message: undefined };
  const results: Result[] = [];
  for (const translation of translations) {
    const values = countValues(translation.reads, maxValues);
    const translate = values > maxValues ? translation.translateWithoutLists : translation.translate;
    if (!translate) {
      addProblem(report, `An item has more than ${maxValues} values in its attributes and body.`, 1);
      continue;
    }
    const turn = pace(findWeight(values));
    if (turn) await turn;
    try {
      results.push(translate());
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      addProblem(report, error.message, 1);
    }
  }
  return { results, report };
}

export function addProblem(report: Report, message: string, rejected: number): void {
  report.rejected += rejected;
  report.message ??= message;
}
