import { isUtf8 } from "node:buffer";
import type { CappedList } from "../../../platform/capped-list.ts";
import { createYield, type Snapshot } from "../../../platform/git/index.ts";
import type { Problem } from "../../templates/index.ts";
import { Failure } from "../failure.ts";

/** A file that may be a template. */
export interface Candidate {
  path: string;
  /** The path within the folder. */
  name: string;
  blob: string;
}

const maxFiles = 10_000;
const maxEntries = 200_000;
/** Limit for all tree entries that are read. A tree that occurs in several places counts each time. */
const maxFolderBytes = 64 * 1024 * 1024;
/** Bytes of a tree entry without its name. */
const entryBytes = 28;
const maxDepth = 50;
/** In bytes. Real paths are shorter, and much longer paths do not fit into a database index. */
const maxPathBytes = 1_000;

/** Lists every Markdown file under the folder, by path. Skipped files that look intended are added to `problems`. */
export async function listFolder(
  snapshot: Snapshot,
  folder: string,
  problems: CappedList<Problem>,
): Promise<Candidate[]> {
  const files: Candidate[] = [];
  let entries = 0;
  let folderBytes = 0;
  const turn = createYield();
  await walk(findTree(snapshot, folder), folder === "" ? "" : `${folder}/`, 0);
  return files;

  async function walk(tree: string, prefix: string, depth: number): Promise<void> {
    await turn();
    const foundNames = new Set<string>();
    const prefixBytes = Buffer.byteLength(prefix);
    for (const { kind, name: bytes, id } of snapshot.tree(tree)) {
      await turn();
      count(bytes.length);
      // Names with a leading dot belong to tools: .github, .obsidian.
      if (bytes[0] === dot) continue;
      const skip = (message: string) =>
        problems.add({ path: formatPath(prefix, bytes), line: null, message });
      // Checked before the name becomes a string, because a name can have megabytes.
      if (bytes.length + prefixBytes > maxPathBytes) {
        skip(`The path is longer than ${maxPathBytes} bytes. Shorten it.`);
        continue;
      }
      const name = bytes.toString("utf8");
      const path = prefix + name;
      if (!isUtf8(bytes) || /[\p{Cc}/\\]/u.test(name)) {
        skip("The name is not UTF-8, or has signs in it that no name should have. Rename it.");
      } else if (foundNames.size === foundNames.add(name).size) {
        skip("The name is there twice, which no checkout would show. Remove one of them.");
      } else if (kind === "tree") {
        if (depth < maxDepth) await walk(id, `${path}/`, depth + 1);
        else skip(`Folders are read ${maxDepth} deep.`);
      } else if (kind === "symlink") skip("Links are not followed. Put the file itself here.");
      else if (kind === "submodule") skip("Submodules are not read. Connect that repository by itself.");
      else if (/\.md$/i.test(name)) {
        if (files.length === maxFiles)
          throw new Failure("too_many_templates", `The folder has more than ${maxFiles} Markdown files.`);
        files.push({ path, name: path.slice(folder === "" ? 0 : folder.length + 1), blob: id });
      }
    }
  }

  function count(nameBytes: number): void {
    entries++;
    folderBytes += nameBytes + entryBytes;
    if (entries > maxEntries)
      throw new Failure("too_large", `The folder has more than ${maxEntries} entries. Choose a smaller one.`);
    if (folderBytes > maxFolderBytes)
      throw new Failure(
        "too_large",
        "The names in the folder and its subfolders take more than 64 MiB. Choose a smaller folder.",
      );
  }
}

const dot = ".".charCodeAt(0);
const maxShownLength = 500;

/**
 * The path as it is shown: names are untrusted bytes, so control characters and length are limited. The cut can be in the
 * middle of a surrogate pair, which cannot be stored.
 */
const formatPath = (prefix: string, name: Buffer) =>
  (prefix + name.toString("utf8", 0, maxShownLength))
    .replace(/[\p{Cc}\ufffd]/gu, "?")
    .slice(0, maxShownLength)
    .toWellFormed();

function findTree(snapshot: Snapshot, folder: string): string {
  let tree = snapshot.commit.tree;
  let currentPath = "";
  for (const part of folder === "" ? [] : folder.split("/")) {
    currentPath = currentPath === "" ? part : `${currentPath}/${part}`;
    const entry = findEntry(snapshot, tree, Buffer.from(part));
    if (!entry) {
      throw new Failure(
        "folder_not_found",
        `There is no folder ${currentPath} at ${snapshot.id.slice(0, 10)}. Small and capital letters count. The templates were left as they are.`,
      );
    }
    if (entry.kind !== "tree") {
      throw new Failure(
        "folder_not_found",
        `${currentPath} is ${entry.kind === "file" ? "a file" : `a ${entry.kind}`}, not a folder. The templates were left as they are.`,
      );
    }
    tree = entry.id;
  }
  return tree;
}

function findEntry(snapshot: Snapshot, tree: string, name: Buffer) {
  for (const entry of snapshot.tree(tree)) if (entry.name.equals(name)) return entry;
  return undefined;
}
