import { malformed } from "./errors.ts";

export interface TreeEntry {
  kind: "file" | "tree" | "symlink" | "submodule";
  /** The unchanged bytes of the name, which may not be UTF-8. */
  name: Buffer;
  id: string;
}

const kinds: Record<string, TreeEntry["kind"]> = {
  "10": "file",
  "04": "tree",
  "12": "symlink",
  "16": "submodule",
};

export function* parseTree(data: Buffer): Generator<TreeEntry, undefined> {
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const nul = data.indexOf(0, space);
    // A mode has five or six digits. Without this check it could become a string of any length.
    if (space < 0 || space - at > 6 || nul < 0 || nul + 21 > data.length || nul === space + 1)
      throw malformed("a folder cannot be read");
    const mode = data.toString("latin1", at, space).padStart(6, "0");
    const kind = kinds[mode.slice(0, 2)];
    if (!kind || !/^[0-7]{6}$/.test(mode)) throw malformed("a folder contains an entry of an unknown kind");
    yield { kind, name: data.subarray(space + 1, nul), id: data.toString("hex", nul + 1, nul + 21) };
    at = nul + 21;
  }
}

export interface Commit {
  tree: string;
  /** `Ada <ada@example.com>` */
  author: string | undefined;
}

export function parseCommit(data: Buffer): Commit {
  const blank = data.indexOf("\n\n");
  // Old commits are in whatever encoding their author had; only ASCII is certain then.
  const text = new TextDecoder().decode(data.subarray(0, Math.min(blank < 0 ? data.length : blank, 65_536)));
  const tree = /^tree ([0-9a-f]{40})$/m.exec(text)?.[1];
  if (!tree) throw malformed("a commit has no content");
  const author = /^author (.*?)(?: \d+ [+-]\d{4})?$/m.exec(text)?.[1];
  return { tree, author: author?.replace(/\p{Cc}/gu, " ").slice(0, 300) };
}

/** What a tag points to. */
export function parseTag(data: Buffer): string {
  const target = /^object ([0-9a-f]{40})$/m.exec(data.toString("latin1", 0, 200))?.[1];
  if (!target) throw malformed("a tag points nowhere");
  return target;
}
