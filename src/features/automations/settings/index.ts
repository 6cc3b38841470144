export type { AutomationSettings } from "./contract.ts";
export { routes } from "./routes.ts";
export { defaults, findLongestEventRetention, readSettings } from "./service.ts";
