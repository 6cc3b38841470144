export { routes } from "./routes.ts";
export { findNextOccurrence, Schedule, ScheduleInput } from "./schedule.ts";
export { formatLocalTime, isTimeZone, toInstant, toLocalTime } from "./zone.ts";
