export { openTarget, type Reading, readFolder, resolveHead, type Target } from "./read.ts";
