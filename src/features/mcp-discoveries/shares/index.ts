export { routes } from "./routes.ts";
export { removeExpiredAcrossOrganizations } from "./store.ts";
