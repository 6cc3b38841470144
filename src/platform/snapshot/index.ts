export { checkFile, type FileSummary, readFile, writeFile } from "./file.ts";
export { moveDatabase } from "./move.ts";
export { inSnapshot, isInstalled, stopWith } from "./read.ts";
export {
  lockTarget,
  prepareTarget,
  refreshStatistics,
  refuseOccupied,
  refuseUnknownSchema,
  writeSnapshot,
} from "./write.ts";
