export { compareHeads } from "./jobs.ts";
