export { routes } from "./routes.ts";
export { addGrants, readAccess } from "./service.ts";
export { findConnection, findUsable, listUsable, toUsable } from "./usable.ts";
