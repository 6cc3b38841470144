export { routes } from "./routes.ts";
export { continueRollouts } from "./service.ts";
