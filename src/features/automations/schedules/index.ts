export { routes } from "./routes.ts";
export { findNextOccurrence, Schedule, ScheduleInput } from "./schedule.ts";
