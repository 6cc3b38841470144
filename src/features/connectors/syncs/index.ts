export { routes } from "./routes.ts";
export { queueSync } from "./service.ts";
