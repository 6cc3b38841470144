export { refusalLog } from "./collector.ts";
export { routes } from "./routes.ts";
export { removeOldAcrossOrganizations } from "./store.ts";
