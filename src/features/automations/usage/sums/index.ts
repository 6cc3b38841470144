export { readUsage, sumByRun } from "./service.ts";
