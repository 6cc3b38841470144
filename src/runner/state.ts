import { randomBytes } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { lockFolder } from "../platform/db/lock.ts";
import { OperatorError } from "../platform/errors.ts";
import { type Begin, beginJournal, type Journal, openJournal, replay, type Storage } from "./journal.ts";

/** A journal and the file it is in. */
export interface KeptJournal {
  journal: Journal;
  file: string;
  /** All of it was acknowledged. */
  remove(): void;
  /** Nobody wants it any more; kept for a while, for whoever wonders where it went. */
  putAside(): string;
}

export interface State {
  readonly runnerId: string;
  /** Warnings about the permissions of the folder, as sentences. */
  readonly warnings: readonly string[];
  /** For the working folders of runs. */
  readonly workFolder: string;
  begin(begin: Begin): Promise<KeptJournal>;
  /** What an earlier process of this runner left. */
  leftBehind(): KeptJournal[];
  /** Removes what was put aside long ago. */
  tidy(): void;
  close(): void;
}

const asideMs = 7 * 24 * 3600_000;
const datasync = promisify(fdatasync);

/** The folder where a runner keeps its name and its journals. One process has it at a time. */
export function openState(folder: string, wantedId: string | undefined): State {
  const journals = join(folder, "journals");
  const workFolder = join(folder, "work");
  const lock = lockFolder(folder, "The runner's state folder");
  if (!lock) {
    throw new OperatorError(
      `Another runner has its journals in ${folder}. Stop it, or give this one a folder of its own with --state.`,
    );
  }
  try {
    for (const one of [journals, workFolder]) mkdirSync(one, { recursive: true, mode: 0o700 });
  } catch (error) {
    lock.release();
    throw unusable(folder, error);
  }
  // Working folders of runs that a crash cut off.
  for (const name of readdirSync(workFolder))
    rmSync(join(workFolder, name), { recursive: true, force: true });
  const pathOf = (name: string) => join(journals, name);
  const keep = (journal: Journal, name: string, close: () => void): KeptJournal => ({
    journal,
    file: pathOf(name),
    remove() {
      close();
      rmSync(pathOf(name), { force: true });
    },
    putAside() {
      close();
      renameSync(pathOf(name), pathOf(`${name}.aside`));
      return pathOf(`${name}.aside`);
    },
  });
  return {
    warnings: lock.warnings,
    runnerId: runnerIdIn(folder, wantedId),
    workFolder,
    async begin(begin) {
      const name = `${begin.runId}.${begin.attempt}`;
      const { storage, close } = openFile(pathOf(name), "ax+");
      const journal = beginJournal(storage, begin);
      await journal.sync();
      syncFolder(journals);
      return keep(journal, name, close);
    },
    leftBehind() {
      const found: KeptJournal[] = [];
      for (const name of readdirSync(journals)) {
        if (name.endsWith(".aside")) continue;
        const { storage, truncate, close } = openFile(pathOf(name), "a+");
        const replayed = replay(storage.read());
        truncate(replayed.soundBytes);
        const journal = openJournal(storage, replayed);
        // The command is started only when the beginning is on disk, so this one never was.
        if (journal) {
          found.push(keep(journal, name, close));
          continue;
        }
        close();
        rmSync(pathOf(name), { force: true });
      }
      return found;
    },
    tidy() {
      for (const name of readdirSync(journals)) {
        if (!name.endsWith(".aside")) continue;
        if (Date.now() - statSync(pathOf(name)).mtimeMs > asideMs) rmSync(pathOf(name), { force: true });
      }
    },
    close: () => lock.release(),
  };
}

function openFile(path: string, flags: "ax+" | "a+") {
  const fd = openSync(path, flags, 0o600);
  const storage: Storage = {
    append(text) {
      const bytes = Buffer.from(text);
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      } catch (error) {
        throw new OperatorError(
          `The journal ${path} cannot be written (${(error as Error).message}). Make room for it, or name another folder with --state.`,
        );
      }
    },
    sync: () => datasync(fd),
    read: () => readFileSync(path),
  };
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return { storage, truncate: (length: number) => ftruncateSync(fd, length), close };
}

/** So that a file that was made is still there after a power cut. */
function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Who holds a run is the runner of this name, so it is the same after a restart. */
function runnerIdIn(folder: string, wanted: string | undefined): string {
  const file = join(folder, "runner-id");
  const known = readIfThere(file)?.trim();
  const name = wanted ?? (known || `${hostname().slice(0, 100)}-${randomBytes(4).toString("hex")}`);
  if (name !== known) writeFileSync(file, `${name}\n`, { mode: 0o600 });
  return name;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const unusable = (folder: string, error: unknown) =>
  new OperatorError(
    `${folder} cannot be used for the runner's state (${(error as Error).message}). Name another folder with --state.`,
  );
