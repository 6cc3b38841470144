#!/usr/bin/env node
// Runs on whatever Node the machine has, and hands over to the one Signalbox brings along if that is too old.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

if (Number(process.versions.node.split(".")[0]) >= 24) {
  await import("../src/main.ts");
} else {
  const node = bundledNode();
  if (!node) {
    console.error(
      `Signalbox needs Node 24, this is ${process.version}. Run \`npm ci\`, which brings it along.`,
    );
    process.exit(1);
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function bundledNode() {
  try {
    const file = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node");
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
