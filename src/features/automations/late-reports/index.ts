export { routes } from "./routes.ts";
export { keepLate } from "./service.ts";
export { removeOfRun } from "./store.ts";
