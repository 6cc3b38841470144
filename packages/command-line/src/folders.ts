/** Private folders with one holder at a time. Separate from the main entry, because it loads SQLite. */
export { type FolderLock, findLockHolder, lockFolder } from "./folder-lock.ts";
export { tightenContents } from "./private-folder.ts";
export { syncFolder } from "./sync-folder.ts";
