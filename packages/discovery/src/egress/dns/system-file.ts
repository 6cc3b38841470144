import { readFileSync, statSync } from "node:fs";

const checkEveryMs = 1_000;

/**
 * Parses a small system file, and reads it again when it changes. A missing file counts as empty. Reading is
 * synchronous, because asynchronous reads use the thread pool that this resolver avoids.
 */
export function readSystemFile<T>(path: string, parse: (text: string) => T): () => T {
  let value: T | undefined;
  let version: string | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (value !== undefined && now - checkedAt < checkEveryMs) return value;
    checkedAt = now;
    const found = describe(path);
    if (value === undefined || found !== version) {
      version = found;
      value = parse(read(path));
    }
    return value;
  };
}

function describe(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : "";
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
