export { removeOldRecords } from "./jobs.ts";
export { routes } from "./routes.ts";
export {
  removeSomeOfConnector,
  removeSomeOfConnectors,
  removeSomeOfSecrets,
  removeSomeTargets,
  removeSomeTargetsOfConnector,
} from "./store.ts";
