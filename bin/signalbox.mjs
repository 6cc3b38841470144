#!/usr/bin/env node
// Runs on whatever Node the machine has, and hands over to the one Signalbox brings along if that is too old.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

if (Number(process.versions.node.split(".")[0]) >= 24) {
  await prepareFastStart();
  const { findMain } = await import("./bundle.mjs");
  await import(pathToFileURL(findMain()).href);
} else {
  const node = bundledNode();
  if (!node) {
    console.error(
      `Signalbox needs Node 24, this is ${process.version}. Run \`npm ci\`, which brings it along.`,
    );
    process.exit(1);
  }
  const self = fileURLToPath(import.meta.url);
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** An older Node lacks some of these functions, so they are imported here. */
async function prepareFastStart() {
  const { enableCompileCache } = await import("node:module");
  const { setFlagsFromString } = await import("node:v8");
  // Optimizing the code of the embedded database takes a second and 1 GB of memory. Only a server runs long enough to
  // gain from it. The flags are part of the key of the cache below, so they are set first.
  if (process.argv[2] !== "serve") {
    setFlagsFromString("--no-wasm-tier-up");
    setFlagsFromString("--no-wasm-dynamic-tiering");
  }
  // The cache is in node_modules, because code must not be loaded from a folder where others can write. It is on before
  // the first TypeScript file loads: removing the types of only one takes as long as the rest of a short command.
  enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/signalbox", import.meta.url)));
}

function bundledNode() {
  try {
    const file = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
