export { routes } from "./routes.ts";
export { acceptsTelemetry, findStoredSettings, settingsCache } from "./service.ts";
export { markPruned, markPrunedOn, type StoredSettings } from "./store.ts";
