import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

/** A place in a file of the bundle, which `bin/bundle.mjs` describes. */
const bundledPlace = /(file:\/\/\S+\/signalbox-bundle\/[\w.-]+\.mjs):(\d+):(\d+)/g;

/** Returns a function that replaces places in the bundle by places in the sources. A map is read when it is needed. */
export function createStackReader(): (stack: string) => string {
  const maps = new Map<string, SourceMap | undefined>();
  const findMap = (url: string) => {
    if (!maps.has(url)) maps.set(url, readMap(url));
    return maps.get(url);
  };
  return (stack) =>
    stack.replace(bundledPlace, (place: string, url: string, line: string, column: string) => {
      const found = findMap(url)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (!found || !("originalSource" in found)) return place;
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
