export {
  findConnection,
  insertGrant,
  isGranted,
  listGrants,
  listUsable,
  lockTeams,
  type Reader,
  removeGrants,
  type SubjectKind,
  type UsableRow,
} from "./store.ts";
