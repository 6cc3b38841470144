import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** A position in a file of the bundle, which `bin/bundle.mjs` describes. */
const bundledPosition = /(file:\/\/\S+\/signalbox-bundle\/[\w.-]+\.mjs):(\d+):(\d+)/g;

/**
 * Returns a function that rewrites a stack trace: positions in the bundle become positions in the source files. Source
 * maps are read on first use.
 */
export function createStackReader(): (stack: string) => string {
  const maps = new Map<string, SourceMap | undefined>();
  const findMap = (url: string) => {
    if (!maps.has(url)) maps.set(url, readMap(url));
    return maps.get(url);
  };
  return (stack) =>
    stack.replace(bundledPosition, (position: string, url: string, line: string, column: string) => {
      const found = findMap(url)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (!found || !("originalSource" in found)) return position;
      const source = new URL(found.originalSource, url).href;
      return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    });
}

function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
