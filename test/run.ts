/**
 * `npm test`: everything that must hold; the quick checks come first. Ends with all failures again and the one line
 * `N passed, N failed`; each check counts as one, each test as one. `--only` runs a part, and can be repeated.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isChromiumInstalled } from "./chromium.ts";
import { isPostgresAvailable, postgresUrl } from "./postgres.ts";
import {
  type FileResult,
  findFilesToRepeat,
  listFailures,
  mergeRuns,
  type RunResult,
  renderFailures,
  renderSeconds,
  summarizeError,
} from "./results.ts";

const parts = ["checks", "unit", "pglite", "postgres", "process", "browser"];
const { values } = parseArgs({ options: { only: { type: "string", multiple: true, default: parts } } });
const wanted = new Set(values.only);
const unknown = values.only.find((part) => !parts.includes(part));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}". The parts are ${parts.join(", ")}.`);
  process.exit(2);
}

/**
 * Two projects run at a time, and the next one starts when one of them ends. A project that waits much of its time runs
 * beside one that computes.
 */
const projectOrder = ["postgres", "process", "pglite", "browser", "unit"];

const bin = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name);

const checks: [name: string, command: string, ...args: string[]][] = [
  ["lint and format", bin("biome"), "ci", "--error-on-warnings", "."],
  ["types", bin("tsc"), "--noEmit", "-p", "."],
  ["types of the console", bin("tsc"), "--noEmit", "-p", "console"],
  ["dead code", bin("knip"), "--no-progress"],
  ["openapi.json is current", process.execPath, "bin/signalbox.mjs", "openapi", "--check", "openapi.json"],
  ["schema.sql is current", process.execPath, "test/schema.ts", "--check"],
  ["the client's types are current", process.execPath, "packages/client/generate.ts", "--check"],
  ["openapi.json is valid", bin("redocly"), "lint", "openapi.json", "--format=stylish"],
];

let passed = 0;
let skipped = 0;
const files: FileResult[] = [];
const failures: ReturnType<typeof listFailures> = [];
const flaky: ReturnType<typeof listFailures> = [];

if (wanted.has("checks")) await runChecks();
await runTests();
await repeatFailedFiles();
summarize();
process.exit(failures.length === 0 ? 0 : 1);

function summarize(): void {
  for (const { tests } of files) {
    passed += tests.filter(({ state }) => state === "passed").length;
    skipped += tests.filter(({ state }) => state === "skipped").length;
  }
  failures.push(...files.flatMap(listFailures));
  if (files.length > 0) console.log(`\nSeconds by project (the sum of its files):\n${renderSeconds(files)}`);
  if (flaky.length > 0)
    console.log(`\n!!! flaky: passed on the second run (${flaky.length})\n${renderFailures(flaky)}`);
  if (failures.length > 0) console.log(`\nFAILED (${failures.length})\n${renderFailures(failures)}`);
  console.log(`\n${passed} passed, ${failures.length} failed${skipped ? `, ${skipped} skipped` : ""}`);
}

/** Two checks run at a time: most of them use one core. The results are printed in the order of the list. */
async function runChecks(): Promise<void> {
  const running: ReturnType<typeof run>[] = [];
  for (const [i, [, command, ...args]] of checks.entries())
    running.push((running[i - 2] ?? Promise.resolve()).then(() => run(command, args, "quiet")));
  for (const [i, [name]] of checks.entries()) {
    const { code, output } = await running[i]!;
    if (code === 0) passed++;
    else failures.push({ where: `check: ${name}`, error: summarizeError({ message: output }) });
    console.log(`${code === 0 ? "✓" : "✗"} ${name}`);
    if (code !== 0) console.log(output);
  }
}

async function runTests(): Promise<void> {
  if (wanted.has("postgres") && !(await isPostgresAvailable())) {
    skipped++;
    wanted.delete("postgres");
    const where = new URL(postgresUrl).host;
    console.log(`\n!!! No PostgreSQL at ${where}: everything that runs on PostgreSQL IS SKIPPED.`);
    console.log("!!! Start one, or name it in TEST_DATABASE_URL (a role that may create databases).\n");
  }
  if (wanted.has("browser") && !isChromiumInstalled()) {
    skipped++;
    wanted.delete("browser");
    console.log("\n!!! No Chromium for this kind of machine: everything in a browser IS SKIPPED.");
    console.log("!!! Install one (Debian: chromium), or name it in TEST_CHROMIUM.\n");
  }
  const waiting = projectOrder.filter((project) => wanted.has(project));
  const runWaiting = async (mode: "quiet" | "loud") => {
    for (let project = waiting.shift(); project !== undefined; project = waiting.shift())
      console.log(await runProject(project, mode));
  };
  // One of the two prints as it runs; the output of the other follows as a whole.
  await Promise.all([runWaiting("loud"), runWaiting("quiet")]);
}

/** Runs the tests of a project, keeps their results, and returns what is still to be printed. */
async function runProject(project: string, mode: "quiet" | "loud"): Promise<string> {
  const { results, code, output } = await runVitest(project, [], mode);
  files.push(...results.files);
  const where = `project ${project}`;
  for (const error of results.errors) failures.push({ where, error });
  const isExplained =
    results.errors.length > 0 || results.files.some((file) => listFailures(file).length > 0);
  if (code !== 0 && !isExplained)
    failures.push({ where, error: `vitest ended with ${code}; see its output.` });
  return output;
}

/** Each failed file runs once more, alone. So chance and a busy machine can be told from a defect. */
async function repeatFailedFiles(): Promise<void> {
  for (const first of findFilesToRepeat(files)) {
    console.log(`\nSecond run of ${first.file} (${first.project})`);
    const { results } = await runVitest(first.project, [first.file], "loud");
    failures.push(...results.errors.map((error) => ({ where: `second run of ${first.file}`, error })));
    const second = results.files.find(({ file }) => file === first.file);
    if (!second) continue;
    const merged = mergeRuns(first, second);
    files[files.indexOf(first)] = merged.result;
    flaky.push(...merged.flaky);
  }
}

async function runVitest(
  project: string,
  paths: readonly string[],
  mode: "quiet" | "loud",
): Promise<{ results: RunResult; code: number; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-tests-"));
  const file = join(folder, "results.json");
  const reporters = ["--reporter=default", `--reporter=${join(import.meta.dirname, "reporter.ts")}`];
  const args = ["run", ...reporters, `--project=${project}`, ...paths];
  const { code, output } = await run(bin("vitest"), args, mode, { TEST_RESULTS: file });
  const results: RunResult = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : { files: [], errors: [] };
  rmSync(folder, { recursive: true, force: true });
  return { results, code, output };
}

function run(
  command: string,
  args: string[],
  mode: "quiet" | "loud",
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: mode === "loud" ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
      env: {
        // Each test file of some projects has a process of its own, which loads the same packages.
        NODE_COMPILE_CACHE: join(import.meta.dirname, "../node_modules/.cache/signalbox-tests/compiled"),
        ...process.env,
        // Some tools send requests to their vendor when they start. This prevents it.
        REDOCLY_TELEMETRY: "off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
        ...env,
      },
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
