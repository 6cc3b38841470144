export { fields } from "./fields.ts";
export { routes } from "./routes.ts";
