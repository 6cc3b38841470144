export { rollUp } from "./jobs.ts";
export { rollUpDays } from "./service.ts";
export {
  type Days,
  listCurrentDays,
  listIncompleteDaysAcrossOrganizations,
  removeSomeDays,
  removeSomeRepeatedRuns,
  selectDayFigures,
} from "./store.ts";
