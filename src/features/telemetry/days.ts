import { dayMs } from "../../platform/days.ts";

/** The number of days since 1970, in UTC. */
export const countDays = (time: number): number => Math.floor(time / dayMs);

/** When a day in UTC begins. */
export const findStartOfDay = (time: number): number => countDays(time) * dayMs;
