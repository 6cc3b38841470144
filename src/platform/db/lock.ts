import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** What the holder of a data folder tells others about itself. */
export interface Holder {
  pid: number;
  /** Where the holder takes commands, see `control.ts`. */
  control?: string;
}

export interface FolderLock {
  announce(holder: Holder): void;
  release(): void;
}

/**
 * Two processes on one embedded database corrupt it, so a folder has one holder. The lock is the
 * kernel's: SQLite holds it on an otherwise empty file, and it ends with the process however that dies.
 * A file with a process id in it would need guessing whether that process is still the same one.
 */
export function lockFolder(dataDir: string): FolderLock | undefined {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = new DatabaseSync(join(dataDir, "lock"));
  try {
    file.exec("pragma locking_mode = exclusive; begin exclusive;");
  } catch (error) {
    file.close();
    if (/locked|busy/i.test((error as Error).message)) return undefined;
    throw error;
  }
  const about = join(dataDir, "holder.json");
  return {
    announce: (holder) => writeFileSync(about, JSON.stringify(holder), { mode: 0o600 }),
    release: () => {
      rmSync(about, { force: true });
      file.close();
    },
  };
}

export function holderOf(dataDir: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, "holder.json"), "utf8")) as Holder;
  } catch {
    return undefined;
  }
}
