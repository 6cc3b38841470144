export { prune, pruneAll } from "./jobs.ts";
