export { createRoutes } from "./routes.ts";
