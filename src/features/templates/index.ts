export { release as keepTemplates, removeOfConnector as removeTemplates } from "./files/store.ts";
export { routes } from "./routes.ts";
