export { isChild, joinPrimary, type PrimaryLink } from "./child.ts";
export { runPrimary } from "./primary.ts";
