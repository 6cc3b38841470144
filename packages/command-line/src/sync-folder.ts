import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes sure that a new or renamed file of the folder still has its name after a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
