export { routes } from "./routes.ts";
export { recordLateReports } from "./service.ts";
export { removeByRun } from "./store.ts";
