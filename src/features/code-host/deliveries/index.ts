export { removeOldRecords } from "./jobs.ts";
export { routes } from "./routes.ts";
export { removeSomeOfConnectors, removeSomeOfSecrets, removeSomeTargets } from "./store.ts";
