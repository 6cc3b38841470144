export { beatBatcher } from "./beats.ts";
export { routes } from "./routes.ts";
export { recordActivity, recordLimitedActivity, recordStates } from "./service.ts";
export { markSeen, removeOldAcrossOrganizations as removeOldActivityAcrossOrganizations } from "./store.ts";
