// The program as few files of JavaScript. Node loads them in about half of the time and with less memory than the
// 1,300 TypeScript files of the source, so `signalbox` runs them while they are current.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
/** In `node_modules`, because only the owner of the program may write there, and `npm ci` empties it. */
export const folder = join(root, "node_modules/.cache/signalbox-bundle");
export const sourceList = join(folder, "sources.txt");

/** Returns the module to start: the bundle, or `src/main.ts` when there is no bundle or a source file has changed. */
export function findMain() {
  return isCurrent() ? join(folder, "main.mjs") : join(root, "src/main.ts");
}

function isCurrent() {
  try {
    const built = statSync(sourceList).mtimeMs;
    const { list, changedAt } = listSources();
    return changedAt <= built && readFileSync(sourceList, "utf8") === list;
  } catch {
    return false;
  }
}

/** Lists the source files with their sizes, and returns when one of them was last changed. */
export function listSources() {
  const lines = [];
  let changedAt = 0;
  const read = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inside = `${path}/${entry.name}`;
      if (entry.isDirectory()) read(inside);
      else if (!entry.name.endsWith(".test.ts")) {
        const { size, mtimeMs } = statSync(join(root, inside));
        lines.push(`${inside} ${size}\n`);
        changedAt = Math.max(changedAt, mtimeMs);
      }
    }
  };
  read("src");
  for (const name of readdirSync(join(root, "packages")).sort()) {
    if (statSync(join(root, "packages", name)).isDirectory()) read(`packages/${name}/src`);
  }
  return { list: lines.sort().join(""), changedAt };
}
