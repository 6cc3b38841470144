export type { RunEvent } from "./contract.ts";
export { pruneLeftovers, pruneRun } from "./prune.ts";
export { routes } from "./routes.ts";
