export type { AutomationSettings } from "./contract.ts";
export { routes } from "./routes.ts";
export { defaults, settingsOf } from "./service.ts";
