export type { AutomationSettings } from "./contract.ts";
export { routes } from "./routes.ts";
export { defaults, readSettings } from "./service.ts";
