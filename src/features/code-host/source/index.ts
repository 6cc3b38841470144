export { openTarget, type RepositoryContent, readTarget, type Target } from "./read.ts";
export { findTarget, type TargetRow, targetColumns } from "./store.ts";
export { completeTarget } from "./target.ts";
