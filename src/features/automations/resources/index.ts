export {
  AssignedConnection,
  AssignedTemplate,
  NamedConnection,
  NamedTemplate,
  resourceIds,
} from "./contract.ts";
export { checkResources, resourcesOfRun } from "./service.ts";
