export { heal } from "./jobs.ts";
