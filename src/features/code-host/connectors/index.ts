export { removeLeftovers } from "./jobs.ts";
export { routes } from "./routes.ts";
