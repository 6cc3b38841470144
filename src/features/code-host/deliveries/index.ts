export { removeOld } from "./jobs.ts";
export { routes } from "./routes.ts";
