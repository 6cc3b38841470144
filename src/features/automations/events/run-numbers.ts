const weekMs = 7 * 86_400_000;
/** A Monday, like the first day of each partition. */
const firstMonday = 4 * 86_400_000;

/** The smallest number of a run that is created at this time. `run_number_at` of the database returns the same. */
export const runNumberAt = (time: number): number => (Math.floor(time / 1000) - 1_767_225_600) * 2 ** 22;

/** Numbers of runs, without `end`. */
export interface NumberRange {
  from: number;
  end: number;
}

export const rangeOfAllRuns: NumberRange = { from: 0, end: Number.MAX_SAFE_INTEGER };

/**
 * The numbers of runs that are created in this week or the last one. Statements with this range open only the partitions
 * of these weeks, which saves a third of the time of an insert when there are many partitions.
 */
export function rangeOfRecentRuns(now: number): NumberRange {
  const week = Math.floor((now - firstMonday) / weekMs) * weekMs + firstMonday;
  return { from: runNumberAt(week - weekMs), end: runNumberAt(week + weekMs) };
}
