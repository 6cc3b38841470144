export { checkFile, type FileSummary, readFile, writeFile } from "./file.ts";
export { moveDatabase } from "./move.ts";
export { inSnapshot, isInstalled, type Manifest, type Part, readSnapshot, type TableEnd } from "./read.ts";
export {
  prepareTarget,
  refreshStatistics,
  refuseOccupied,
  refuseUnknownSchema,
  type Written,
  writeSnapshot,
} from "./write.ts";
