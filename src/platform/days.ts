export const dayMs = 86_400_000;

/** The day of a time in UTC, as `2026-11-16`. */
export const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
