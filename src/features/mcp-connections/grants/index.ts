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
  usableColumns,
} from "./store.ts";
