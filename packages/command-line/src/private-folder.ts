import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { OperatorError } from "./errors.ts";

const modeBitsOfOthers = 0o077;

/** Undefined on Windows, which has no such owners and modes. */
const ownUid = process.geteuid?.();

/**
 * Creates a folder that only this user can enter, or restricts an existing one, and returns warnings as sentences.
 * `name` is the name of the folder in messages.
 */
export function openPrivateFolder(folder: string, name: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  refuseLink(folder, name, found);
  if (ownUid === undefined) return [];
  refuseOtherOwner(folder, name, found);
  const warnings: string[] = [];
  if (found.mode & modeBitsOfOthers) {
    chmodSync(folder, 0o700);
    warnings.push(
      lstatSync(folder).mode & modeBitsOfOthers
        ? `${folder} is open to other users of this machine, and its file system does not let us change that`
        : `${folder} was open to other users of this machine; now only its owner can enter it`,
    );
  }
  const { mode } = lstatSync(dirname(folder));
  const isSticky = (mode & 0o1000) !== 0;
  if (mode & 0o002 && !isSticky)
    warnings.push(
      `any user of this machine can replace ${folder}, because all can write to ${dirname(folder)}`,
    );
  return warnings;
}

/** Removes the permissions of other users on all files of a private folder. Refuses files that other users own. */
export function tightenContents(folder: string, name: string): void {
  if (ownUid === undefined) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || isLostAndFound(entry.name, found)) continue;
    refuseOtherOwner(path, name, found);
    if (found.isSymbolicLink()) continue;
    if (found.mode & modeBitsOfOthers) chmodSync(path, found.mode & 0o700);
    if (found.isDirectory()) tightenContents(path, name);
  }
}

/** A new volume has this folder of root. Signalbox keeps nothing in it. */
const isLostAndFound = (name: string, found: Stats) =>
  name === "lost+found" && found.isDirectory() && found.uid !== ownUid;

/**
 * Creates an empty private file if there is none. An existing file is not opened, because closing it would release the
 * locks that this process has on it.
 */
export function makePrivateFile(path: string, name: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) {
    closeSync(openSync(path, "wx", 0o600));
    return;
  }
  refuseLink(path, name, found);
  if (ownUid === undefined) return;
  refuseOtherOwner(path, name, found);
  if (found.mode & modeBitsOfOthers) chmodSync(path, 0o600);
}

function refuseLink(path: string, name: string, found: Stats): void {
  if (!found.isSymbolicLink()) return;
  throw new OperatorError(
    `${name} ${path} is a symbolic link to ${readlinkSync(path)}. Use the path of the folder itself, so that nobody can redirect it.`,
  );
}

function refuseOtherOwner(path: string, name: string, { uid }: Stats): void {
  if (uid === ownUid) return;
  throw new OperatorError(
    `${name} ${path} belongs to another user (uid ${uid}), who could read and change what Signalbox keeps there. ` +
      "Choose a folder of your own, run Signalbox as that user, or change the owner with chown.",
  );
}
