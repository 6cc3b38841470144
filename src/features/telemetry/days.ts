export const dayMs = 24 * 60 * 60 * 1000;

/** The number of days since 1970, in UTC. */
export const countDays = (time: number): number => Math.floor(time / dayMs);

/** The day in UTC, as in `2026-11-16`. */
export const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** When a day in UTC begins. */
export const findStartOfDay = (time: number): number => countDays(time) * dayMs;
