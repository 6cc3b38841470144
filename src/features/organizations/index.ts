export { Organization } from "./contract.ts";
export { routes } from "./routes.ts";
export {
  allowsAddress,
  create as createOrganization,
  eraseOrganization,
  insertOrganization,
  removeOrganization,
} from "./service.ts";
export {
  find as findOrganization,
  listOfUser as listOrganizations,
  settle as settleOrganization,
} from "./store.ts";
