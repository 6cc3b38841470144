import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { syncFolder } from "@signalbox/command-line/folders";
import { askServer, findServer } from "../platform/control.ts";
import { copyEmbedded, createDb, type Db, openPglite } from "../platform/db/index.ts";
import { OperatorError } from "../platform/errors.ts";
import { Backup, markBackup } from "../platform/marks/index.ts";
import { describeSecretSource } from "../platform/secret-file.ts";
import { checkFile, inSnapshot, isInstalled, stopWith, writeFile } from "../platform/snapshot/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { exit, type Io } from "./io.ts";
import { passphraseOptions, readPassphrase } from "./passphrase.ts";

const help = `
Usage: signalbox backup <file> [--key-file <file> | --passphrase] [--json]

Writes everything in the database to a file, as of one moment, while the service runs. Then it reads the file
again and compares it with its digests. The file is the same for both databases. An existing file is not replaced.

The secret of the instance (SIGNALBOX_SECRET) is not in the file. Keep a copy of it in another place: without it,
nobody can open the credentials in the backup, not even you.

Options:
  --key-file <file>   encrypts the backup with the text in this file (at least 32 characters)
  --passphrase        encrypts the backup with a passphrase, from the terminal or the first line of stdin
  --json              the result as JSON

Examples:
  signalbox backup signalbox-2026-11-16.backup
  signalbox backup --key-file /etc/signalbox.backup-key /backups/signalbox.backup
  signalbox restore --check signalbox-2026-11-16.backup
`;

export async function backup(args: string[], io: Io): Promise<number> {
  const { values, words } = readArguments(args, {
    help,
    words: 1,
    options: {
      ...passphraseOptions,
      json: { type: "boolean" },
      // Sent by this command to the server that holds the data folder.
      "copy-for": { type: "string" },
      note: { type: "string" },
    },
  });
  if (io.serving) return serveBackup(values, io);
  if (words[0] === undefined) throw new UsageError("Name the file to write.");
  const file = resolve(words[0]);
  if (existsSync(file)) throw existsAlready(file);
  const passphrase = await readPassphrase(values, { isNew: true, ...io });
  const started = Date.now();
  const source = await openSource(io);
  try {
    const { manifest, rows, tables } = await writeChecked(file, source.db, passphrase, io.signal);
    const bytes = statSync(file).size;
    const note: Backup = {
      createdAt: manifest.createdAt,
      bytes,
      rows,
      encrypted: passphrase !== undefined,
    };
    await source.note(note);
    const seconds = (Date.now() - started) / 1000;
    if (values.json) io.out(JSON.stringify({ file, tables, ...note, seconds }));
    else {
      io.out(`Wrote ${rows} rows of ${tables} tables to ${file} (${bytes} bytes, ${seconds.toFixed(1)} s).`);
      const secret = describeSecretSource(io.config()).replace(/^The/, "the");
      io.out(`The secret is not in this file. Keep a copy of ${secret} in another place.`);
    }
    return exit.ok;
  } finally {
    await source.close();
  }
}

const existsAlready = (file: string) => new OperatorError(`${file} exists already. Choose another name.`);

/** Errors of other calls, such as `connect`, are those of the database. */
const fileCalls = ["open", "write", "fsync", "rename", "scandir"];

/**
 * The file has its name only when it is complete and was read again. Until then it has a name that no other backup uses.
 * If two backups shared one, the first could rename the incomplete file of the second.
 */
async function writeChecked(file: string, db: Db, passphrase: string | undefined, signal: AbortSignal) {
  const unfinished = `${file}.${randomBytes(4).toString("hex")}.unfinished`;
  try {
    removeAbandoned(file);
    await inSnapshot(db, (parts) => writeFile(unfinished, stopWith(signal, parts, createStop), passphrase));
    const summary = await checkFile(unfinished, passphrase);
    if (existsSync(file)) throw existsAlready(file);
    renameSync(unfinished, file);
    syncName(file);
    return summary;
  } catch (error) {
    rmSync(unfinished, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (!fileCalls.includes(syscall!)) throw error;
    const advice = code === "ENOSPC" ? " The disk is full: free some space, or choose another place." : "";
    throw new OperatorError(`${file} cannot be written (${code}).${advice} No backup was written.`, {
      cause: error,
    });
  }
}

function syncName(file: string): void {
  try {
    syncFolder(dirname(file));
  } catch {
    // Some file systems cannot sync a folder. The content of the backup is on the disk.
  }
}

const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Removes what backups to this file left when they were killed. */
function removeAbandoned(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith(".unfinished")) continue;
    const path = join(folder, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (writtenAt !== undefined && writtenAt < Date.now() - abandonedAfterMs) rmSync(path, { force: true });
  }
}

const createStop = () => new OperatorError("Stopped. No backup was written.");

interface Source {
  db: Db;
  note(backup: Backup): Promise<void>;
  close(): Promise<void>;
}

async function openSource(io: Io): Promise<Source> {
  const { databaseUrl, dataDir } = io.config();
  const server = databaseUrl ? undefined : findServer(dataDir);
  const source = server ? await openCopy(server, dataDir, io) : await openDirectly(io);
  if (await isInstalled(source.db)) return source;
  await source.close();
  throw new OperatorError("The database is empty: there is nothing to back up.");
}

async function openDirectly(io: Io): Promise<Source> {
  const { db } = await io.database({ anySchema: true });
  return { db, note: (backup) => markBackup(db, backup), close: async () => {} };
}

/** The server copies the files of its database, which takes a moment; this process then reads the copy. */
async function openCopy(server: string, dataDir: string, io: Io): Promise<Source> {
  const folder = copyFolder(dataDir, process.pid);
  const ask = async (...args: string[]) => {
    const code = await askServer(server, { command: "backup", args }, io);
    if (code !== exit.ok) throw new OperatorError("The running Signalbox did not do its part of the backup.");
  };
  try {
    await ask("--copy-for", String(process.pid));
    const engine = await openPglite(folder);
    return {
      db: createDb(engine),
      note: (backup) => ask("--note", JSON.stringify(backup)),
      async close() {
        await engine.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A backup that was killed leaves its copy. `signalbox doctor --fix` removes it. */
const copyFolder = (dataDir: string, pid: number) => join(dataDir, `pg.copy-${pid}`);

/** What the server does for a backup in another process. */
async function serveBackup(values: { "copy-for"?: string; note?: string }, io: Io): Promise<number> {
  const { db } = await io.database();
  const { dataDir } = io.config();
  if (values["copy-for"] !== undefined) {
    const folder = copyFolder(dataDir, Number.parseInt(values["copy-for"], 10));
    // In a container, the next backup often has the process id of one that was killed. Their files must not mix.
    rmSync(folder, { recursive: true, force: true });
    await copyEmbedded(db, dataDir, folder);
    if (io.signal.aborted) {
      // The other process has ended, and cannot remove the copy any more.
      rmSync(folder, { recursive: true, force: true });
      throw createStop();
    }
  }
  if (values.note !== undefined) await markBackup(db, Backup.parse(JSON.parse(values.note)));
  return exit.ok;
}
