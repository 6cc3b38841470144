export { adaptInterval, serviceClock } from "./service.ts";
export { removeOldOutagesAcrossOrganizations } from "./store.ts";
