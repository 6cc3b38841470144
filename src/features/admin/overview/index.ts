export { measure } from "./jobs.ts";
export { routes } from "./routes.ts";
