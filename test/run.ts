/**
 * `npm test`: everything that must hold, in the order in which it fails fastest. Ends with the one line
 * `N passed, N failed`; each check counts as one, each test as one.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromiumIsThere } from "./chromium.ts";
import { postgresIsThere, postgresUrl } from "./postgres.ts";

const { values } = parseArgs({ options: { only: { type: "string" } } });
const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name);

const checks: [name: string, command: string, ...args: string[]][] = [
  ["lint and format", bin("biome"), "ci", "--error-on-warnings", "."],
  ["types", bin("tsc"), "--noEmit", "-p", "."],
  ["dead code", bin("knip"), "--no-progress"],
  ["openapi.json is current", process.execPath, "src/main.ts", "openapi", "--check", "openapi.json"],
  ["the client's types are current", process.execPath, "packages/client/generate.ts", "--check"],
  ["openapi.json is valid", bin("redocly"), "lint", "openapi.json", "--format=stylish"],
];

let passed = 0;
let failed = 0;
let skipped = 0;

if (values.only !== "tests") {
  for (const [name, command, ...args] of checks) {
    const { code, output } = await run(command, args, "quiet");
    if (code === 0) passed++;
    else failed++;
    console.log(`${code === 0 ? "✓" : "✗"} ${name}`);
    if (code !== 0) console.log(output);
  }
}
if (values.only !== "checks") await runTests();

console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exit(failed === 0 ? 0 : 1);

async function runTests(): Promise<void> {
  const projects: string[] = [];
  if (!(await postgresIsThere())) {
    skipped++;
    const where = new URL(postgresUrl).host;
    console.log(`\n!!! No PostgreSQL at ${where}: everything that runs on PostgreSQL IS SKIPPED.`);
    console.log("!!! Start one, or name it in TEST_DATABASE_URL (a role that may create databases).\n");
    projects.push("--project=!postgres");
  }
  if (!chromiumIsThere()) {
    skipped++;
    console.log("\n!!! No Chromium for this kind of machine: everything in a browser IS SKIPPED.");
    console.log("!!! Install one (Debian: chromium), or name it in TEST_CHROMIUM.\n");
    projects.push("--project=!browser");
  }
  const folder = mkdtempSync(join(tmpdir(), "signalbox-tests-"));
  const file = join(folder, "results.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const { code } = await run(bin("vitest"), ["run", ...reporters, ...projects], "loud");
  try {
    const results = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
    passed += results.numPassedTests!;
    failed += results.numFailedTests!;
    skipped += results.numPendingTests!;
    // A file that could not be loaded, or a fault outside of every test, fails no test but is a failure.
    if (code !== 0 && results.numFailedTests === 0) failed++;
  } catch {
    failed++;
  }
  rmSync(folder, { recursive: true, force: true });
}

function run(
  command: string,
  args: string[],
  mode: "quiet" | "loud",
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: mode === "loud" ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
      // Tools that would call home when they start are told not to.
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    });
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
