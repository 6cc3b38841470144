export {
  AssignedConnection,
  AssignedTemplate,
  NamedConnection,
  NamedTemplate,
  resourceIds,
} from "./contract.ts";
export { checkResources, listRunResources } from "./service.ts";
