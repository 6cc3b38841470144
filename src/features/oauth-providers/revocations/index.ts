export { revokePending } from "./jobs.ts";
