export type { TelemetryEvent } from "./contract.ts";
export { routes } from "./routes.ts";
export { findVisibleMember } from "./service.ts";
export { listAfter } from "./store.ts";
