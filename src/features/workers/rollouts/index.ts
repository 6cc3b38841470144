export { continueRollouts } from "./jobs.ts";
export { routes } from "./routes.ts";
