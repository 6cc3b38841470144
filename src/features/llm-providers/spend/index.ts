export { adjustSpend, recordSpend } from "./service.ts";
export {
  addToSums,
  listSubjects,
  removeOldAcrossOrganizations as removeOldSpendAcrossOrganizations,
  selectSubjects,
} from "./store.ts";
