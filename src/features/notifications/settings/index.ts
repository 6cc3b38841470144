export { routes } from "./routes.ts";
export { adminsOf, checkMaySee, recipientsOf } from "./service.ts";
