export { deadlineAt, version } from "./contract.ts";
export { timeOutUpgrades } from "./jobs.ts";
export { routes } from "./routes.ts";
export {
  endUpgradeByVersion,
  endUpgradesOfRollout,
  readDeadline,
  repeatMissedUpgrades,
  startUpgrade,
} from "./service.ts";
export { listOrganizationsDueAgainAcrossOrganizations } from "./store.ts";
