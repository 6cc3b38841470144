export { removeOldRecords } from "./jobs.ts";
export { routes } from "./routes.ts";
