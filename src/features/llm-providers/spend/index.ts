export { adjustSpend, recordSpend } from "./service.ts";
export {
  addToSums,
  listSubjects,
  removeOldAcrossOrganizations as removeOldSpendAcrossOrganizations,
  removeSome as removeSomeSpend,
  selectSubjects,
} from "./store.ts";
