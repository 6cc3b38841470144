import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OperatorError } from "./errors.ts";
import { makePrivateFile, openPrivateFolder } from "./private-folder.ts";

/** What the holder of a folder tells other processes about itself. */
export interface Holder {
  pid: number;
  /** The address where the holder takes commands. */
  control?: string;
}

export interface FolderLock {
  /** Problems with the permissions of the folder, as sentences. */
  readonly warnings: readonly string[];
  announce(holder: Holder): void;
  release(): void;
}

/**
 * Two processes on one embedded database corrupt it, so a folder has one holder. The lock is the kernel's: SQLite holds
 * it on an otherwise empty file, and it ends with the process however that dies. A file with a process id in it would
 * need guessing whether that process is still the same one. Read access to the file is enough to hold the lock, so only
 * the owner of the folder has it. `name` is the name of the folder in messages.
 */
export function lockFolder(dataDir: string, name = "DATA_DIR"): FolderLock | undefined {
  const { file, warnings } = openLockFile(dataDir, name);
  try {
    file.exec("pragma locking_mode = exclusive; begin exclusive;");
  } catch (error) {
    file.close();
    if (/locked|busy/i.test((error as Error).message)) return undefined;
    throw unusable(dataDir, name, error);
  }
  const about = aboutFile(dataDir);
  return {
    warnings,
    announce: (holder) => {
      // In one step, so that nobody reads half of it.
      writeFileSync(`${about}.new`, JSON.stringify(holder), { mode: 0o600 });
      renameSync(`${about}.new`, about);
    },
    release: () => {
      rmSync(about, { force: true });
      file.close();
    },
  };
}

const aboutFile = (dataDir: string) => join(dataDir, "holder.json");

function openLockFile(dataDir: string, name: string) {
  try {
    const warnings = openPrivateFolder(dataDir, name);
    const path = join(dataDir, "lock");
    makePrivateFile(path, name);
    return { warnings, file: new DatabaseSync(path) };
  } catch (error) {
    throw unusable(dataDir, name, error);
  }
}

const unusable = (dataDir: string, name: string, error: unknown) =>
  error instanceof OperatorError
    ? error
    : new OperatorError(
        `${name} ${dataDir} cannot be used (${(error as Error).message}). ` +
          "It must be a folder that this user may write to.",
      );

/** What the last holder said; only worth something while the folder is locked. */
export function findLockHolder(dataDir: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(aboutFile(dataDir), "utf8")) as Holder;
  } catch {
    return undefined;
  }
}
