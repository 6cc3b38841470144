export { pruneLeftovers, pruneRun } from "./prune.ts";
export { routes } from "./routes.ts";
