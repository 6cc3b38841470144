export { routes } from "./routes.ts";
export { findStoredSettings, settingsCache } from "./service.ts";
export { markPruned, type StoredSettings } from "./store.ts";
