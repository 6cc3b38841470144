export { rollUp } from "./jobs.ts";
export { rollUpDays } from "./service.ts";
export {
  type Days,
  listCurrentDays,
  listIncompleteDaysAcrossOrganizations,
  selectDayFigures,
} from "./store.ts";
