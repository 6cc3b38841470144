export {
  addForWorker,
  type GrantRow,
  insert as insertGrant,
  isGrantedTo,
  list as listGrants,
  listGrantedModels,
  listProviderIdsOfWorker,
  lockTeams,
  removeForPeople,
  removeForWorker,
  type Subject,
} from "./store.ts";
