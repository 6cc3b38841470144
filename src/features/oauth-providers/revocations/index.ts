export { revokePending, revokeSoon } from "./jobs.ts";
