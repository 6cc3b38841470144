import { randomBytes } from "node:crypto";
import {
  closeSync,
  fdatasync,
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
import { OperatorError } from "@signalbox/command-line";
import { lockFolder, syncFolder } from "@signalbox/command-line/folders";
import { removeFolder } from "./folders.ts";
import {
  beginJournal,
  type Journal,
  type JournalStart,
  openJournal,
  replay,
  type Storage,
} from "./journal.ts";

/** A journal and the file it is in. */
export interface JournalFile {
  journal: Journal;
  file: string;
  /** To be called when everything was acknowledged. */
  remove(): void;
  /** Keeps a journal that the server refused for some days. Returns the new path. */
  archive(): string;
}

export interface State {
  readonly runnerId: string;
  /** Warnings about the folder, as sentences. */
  readonly warnings: readonly string[];
  /** For the working folders of runs. */
  readonly workFolder: string;
  begin(start: JournalStart): Promise<JournalFile>;
  /** The journals that an earlier process of this runner did not finish. */
  listUnfinished(): JournalFile[];
  removeOldArchives(): void;
  close(): void;
}

const keepArchivesMs = 7 * 24 * 3600_000;
const datasync = promisify(fdatasync);

/** Opens the folder with the name and the journals of a runner. One process can have it open at a time. */
export function openState(folder: string, wantedId: string | undefined): State {
  const journals = join(folder, "journals");
  const workFolder = join(folder, "work");
  const lock = lockFolder(folder, "The runner's state folder");
  if (!lock) {
    throw new OperatorError(
      `Another runner has its journals in ${folder}. Stop it, or give this one a folder of its own with --state.`,
    );
  }
  const warnings = [...lock.warnings];
  let runnerId: string;
  try {
    for (const one of [journals, workFolder]) mkdirSync(one, { recursive: true, mode: 0o700 });
    // Working folders of runs that a crash interrupted.
    for (const name of readdirSync(workFolder)) {
      const problem = removeFolder(join(workFolder, name));
      if (problem !== undefined) warnings.push(problem);
    }
    runnerId = readRunnerId(folder, wantedId);
  } catch (error) {
    lock.release();
    throw unusableFolder(folder, error);
  }
  const toPath = (name: string) => join(journals, name);
  const createJournalFile = (journal: Journal, name: string, close: () => void): JournalFile => ({
    journal,
    file: toPath(name),
    remove() {
      close();
      rmSync(toPath(name), { force: true });
    },
    archive() {
      close();
      renameSync(toPath(name), toPath(`${name}.aside`));
      return toPath(`${name}.aside`);
    },
  });
  return {
    warnings,
    runnerId,
    workFolder,
    async begin(start) {
      const name = `${start.runId}.${start.attempt}`;
      const { storage, close } = openFile(toPath(name), "ax+");
      const journal = beginJournal(storage, start);
      await journal.sync();
      syncFolder(journals);
      return createJournalFile(journal, name, close);
    },
    listUnfinished() {
      const found: JournalFile[] = [];
      for (const name of readdirSync(journals)) {
        if (name.endsWith(".aside")) continue;
        const { storage, truncate, close } = openFile(toPath(name), "a+");
        const replayed = replay(storage.read());
        truncate(replayed.validBytes);
        const journal = openJournal(storage, replayed);
        // A program starts only after the first entry is on disk, so this one was never started.
        if (journal) {
          found.push(createJournalFile(journal, name, close));
          continue;
        }
        close();
        rmSync(toPath(name), { force: true });
      }
      return found;
    },
    removeOldArchives() {
      for (const name of readdirSync(journals)) {
        if (!name.endsWith(".aside")) continue;
        if (Date.now() - statSync(toPath(name)).mtimeMs > keepArchivesMs)
          rmSync(toPath(name), { force: true });
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

/** A run is held by the name of its runner, so the name stays the same after a restart. */
function readRunnerId(folder: string, wanted: string | undefined): string {
  const file = join(folder, "runner-id");
  const known = readOptionalFile(file)?.trim();
  const name = wanted ?? (known || `${hostname().slice(0, 100)}-${randomBytes(4).toString("hex")}`);
  if (name !== known) writeFileSync(file, `${name}\n`, { mode: 0o600 });
  return name;
}

function readOptionalFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const unusableFolder = (folder: string, error: unknown) =>
  new OperatorError(
    `${folder} cannot be used for the runner's state (${(error as Error).message}). Name another folder with --state.`,
  );
