export { routes } from "./routes.ts";
export { adminsOf, checkMaySee, maySee, recipientsOf } from "./service.ts";
