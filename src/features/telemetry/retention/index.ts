export { prune, pruneAll, pruneTurn } from "./jobs.ts";
