export { fieldGuide } from "./reference/index.ts";
export { createRoutes } from "./routes.ts";
