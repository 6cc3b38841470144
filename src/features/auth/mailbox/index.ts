export { routes } from "./routes.ts";
export { proveMailbox } from "./service.ts";
