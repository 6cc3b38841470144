export { routes } from "./routes.ts";
export { create as createOrganization } from "./service.ts";
