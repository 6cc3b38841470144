import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { OperatorError } from "@signalbox/command-line";
import { lockFolder, syncFolder } from "@signalbox/command-line/folders";

/** What a worker keeps between two starts. */
export interface Kept {
  /** The server that the token is for. It is sent nowhere else. */
  url?: string;
  /** Chosen before the first registration, so that a repeated registration gives the same worker. */
  instanceId: string;
  token?: string;
  /** The upgrade whose command has run. The next process reports how it went. */
  upgrade?: { id: string; version: string };
  configurationRevision?: number;
}

export interface WorkerState {
  readonly folder: string;
  readonly warnings: readonly string[];
  readonly kept: Kept;
  /** Writes a change to the disk before it returns. */
  save(change: Partial<Kept>): void;
  /** Stores the configuration for the programs that the worker starts. Returns its file. */
  saveConfiguration(configuration: Record<string, unknown>): string;
  close(): void;
}

/** Opens the folder with the identity of a worker. One process can have it open at a time. */
export function openWorkerState(folder: string): WorkerState {
  const lock = lockFolder(folder, "The worker's state folder");
  if (!lock)
    throw new OperatorError(
      `Another worker runs with ${folder}. Stop it, or give this one a folder of its own with --state.`,
    );
  const file = join(folder, "worker.json");
  const state: WorkerState = {
    folder,
    warnings: lock.warnings,
    kept: readKept(file),
    save(change) {
      Object.assign(state.kept, change);
      writeDurably(file, JSON.stringify(state.kept));
    },
    saveConfiguration(configuration) {
      const path = join(folder, "configuration.json");
      writeDurably(path, JSON.stringify(configuration));
      return path;
    },
    close: () => lock.release(),
  };
  if (!state.kept.instanceId) {
    const host = hostname()
      .replace(/[^\w.-]/g, "-")
      .slice(0, 60);
    state.save({ instanceId: `${host}-${randomBytes(6).toString("hex")}` });
  }
  return state;
}

function readKept(file: string): Kept {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { instanceId: "" };
    throw new OperatorError(`${file} cannot be read (${(error as Error).message}).`);
  }
  try {
    return JSON.parse(text) as Kept;
  } catch {
    throw new OperatorError(`${file} is damaged. Delete it and register the worker again.`);
  }
}

/** In one step and on disk, so that a crash leaves the old file or the new one. */
function writeDurably(file: string, text: string): void {
  const next = `${file}.${randomUUID()}`;
  try {
    writeFileSync(next, `${text}\n`, { mode: 0o600, flush: true });
    renameSync(next, file);
    syncFolder(join(file, ".."));
  } catch (error) {
    throw new OperatorError(`${file} cannot be written (${(error as Error).message}). Make room for it.`);
  }
}
