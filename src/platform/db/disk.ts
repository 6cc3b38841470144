import { statfsSync } from "node:fs";

/** The engine writes its log in files of this size. */
const logFileBytes = 16 * 1024 * 1024;

/** Returns a sentence when the disk of a folder has too little space for the engine, else undefined. */
export function describeFullDisk(folder: string): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= logFileBytes) return undefined;
  } catch {
    return undefined;
  }
  return `The disk of ${folder} is full. Free at least 100 MB there, then start again.`;
}

/** Describes why the engine stopped in the middle of its work. */
export const describeStop = (folder: string, error: Error): string =>
  `The embedded database in ${folder} stopped (${error.message.replace(/\.? ?Build with.*$/, "")}). ` +
  (describeFullDisk(folder) ??
    "Start it again: nothing that was committed is lost. If it stops again, check the disk and its limits.");
