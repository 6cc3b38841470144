export type { ErrorCode } from "./contract.ts";
export { routes } from "./routes.ts";
export { queueSync } from "./service.ts";
export { findLive, lockConnector } from "./store.ts";
export { syncsKeptDays, type TargetRow, targetColumns, tidy, work } from "./work/index.ts";
