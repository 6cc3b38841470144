export { adjustSpend, recordSpend, type Spend } from "./service.ts";
export {
  type Attribution,
  listSubjects,
  removeOldAcrossOrganizations as removeOldSpendAcrossOrganizations,
} from "./store.ts";
