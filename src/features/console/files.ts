import { existsSync } from "node:fs";
import { join } from "node:path";
import { createStaticFiles, readFolder, type StaticFiles } from "../../platform/http/index.ts";
import { defineState } from "../../platform/state.ts";

const folder = join(import.meta.dirname, "../../../console/dist");

const fontPattern = /^assets\/inter-latin-wght-normal-[\w-]+\.woff2$/;

/** The built console. It is read at the first request, so that commands do not pay for it. */
export const consoleFiles = defineState({ name: "files of the console", create: createConsoleFiles });

export interface ConsoleFiles {
  /** Undefined when the console was not built. Looked for again at each request until it is there. */
  read(): BuiltConsole | undefined;
}

interface BuiltConsole {
  files: StaticFiles;
  /** The font of the interface. */
  fontPath: string | undefined;
}

function createConsoleFiles(): ConsoleFiles {
  let built: BuiltConsole | undefined;
  return {
    read() {
      if (!built && existsSync(join(folder, "index.html"))) {
        const contents = readFolder(folder);
        built = {
          files: createStaticFiles(contents, { isHashed: (path) => path.startsWith("assets/") }),
          fontPath: Object.keys(contents).find((path) => fontPattern.test(path)),
        };
      }
      return built;
    },
  };
}
