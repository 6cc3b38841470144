export { openTarget, type Reading, readTarget, type Target } from "./read.ts";
