export { deadlineAt, version } from "./contract.ts";
export { routes } from "./routes.ts";
export { endUpgrade, endUpgradeByVersion, readDeadline, startUpgrade, timeOutUpgrades } from "./service.ts";
