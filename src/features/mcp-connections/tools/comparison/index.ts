export { listChanges } from "./changes.ts";
export { classifyChange, findSeverity } from "./classify.ts";
export { findRenames } from "./rename.ts";
