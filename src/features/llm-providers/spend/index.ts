export { adjustSpend, recordSpend } from "./service.ts";
export { listSubjects, removeOldAcrossOrganizations as removeOldSpendAcrossOrganizations } from "./store.ts";
