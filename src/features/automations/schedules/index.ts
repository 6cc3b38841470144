export { routes } from "./routes.ts";
export { nextOccurrence, Schedule, ScheduleInput } from "./schedule.ts";
