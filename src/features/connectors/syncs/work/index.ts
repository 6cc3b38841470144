export { syncsKeptDays, tidy, work } from "./jobs.ts";
export { type TargetRow, targetColumns } from "./store.ts";
