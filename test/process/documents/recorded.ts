/**
 * Runs one command of a document, `curl` or `signalbox`, and records its result. The ids that a document leaves out
 * (`aut_…`) are filled in from the world, which learns from each reply.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, fstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeAt, stepAt } from "../../../src/features/auth/two-factor/totp.ts";

/** What a command did. */
export interface Call {
  command: string;
  /** The HTTP status, or the exit code of `signalbox`. */
  status: number;
  output: string;
}

/** What one line of a block needs that differs from the other lines. */
interface Line {
  /** A text in the command. */
  command: string;
  ids?: Record<string, string>;
  env?: Record<string, string>;
  /** The command is repeated until its output contains this text. */
  until?: string;
}

export interface World {
  /** Ids and secrets by their prefix: `aut` → `aut_01…`. */
  ids: Record<string, string>;
  /** Other texts of the documents that stand for something of this instance. */
  texts: Record<string, string>;
  lines: Line[];
  /** What a person types at `signalbox login`. */
  key: string;
  password: string;
}

const signalbox = join(import.meta.dirname, "../../../bin/signalbox.mjs");

function fill(world: World, line: Line | undefined, argument: string): string {
  let filled = argument;
  for (const [text, value] of Object.entries(world.texts)) filled = filled.replaceAll(text, value);
  const ids = { ...world.ids, ...line?.ids };
  return filled.replace(/\b([a-z]+)_[0-9a-z]*…/g, (all, prefix: string) => ids[prefix] ?? all);
}

function learn(world: World, output: string): void {
  // A list shows what existed before this call.
  if (output.startsWith('{"items"')) return;
  for (const [id, prefix] of output.matchAll(/"([a-z]+)_[0-9a-z]{20,}"/g))
    world.ids[prefix!] = id.slice(1, -1);
  const secret = /"secret":"([A-Z2-7]{16,})"/.exec(output)?.[1];
  if (secret) world.texts["123456"] = codeAt(secret, stepAt(Date.now()));
}

function run(program: string, args: string[], input: string | undefined, env: Record<string, string>) {
  const isCurl = program === "curl";
  // The cache is for this program. `signalbox` has its own.
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  const { stdout, stderr, status } = spawnSync(
    isCurl ? process.env.REAL_CURL! : process.execPath,
    isCurl ? [...args, "--max-time", "20", "-w", "\n%{http_code}"] : [signalbox, ...args],
    {
      encoding: "utf8",
      timeout: 60_000,
      env: { ...inherited, ...env },
      ...(input === undefined ? { stdio: ["inherit", "pipe", "pipe"] } : { input }),
    },
  );
  const end = isCurl ? stdout.lastIndexOf("\n") : stdout.length;
  const exitCode = status ?? -1;
  return {
    output: stdout.slice(0, end),
    stderr,
    exitCode,
    status: isCurl ? Number(stdout.slice(end + 1)) : exitCode,
  };
}

if (import.meta.main) {
  const [program, ...given] = process.argv.slice(2) as [string, ...string[]];
  const stateFile = process.env.DOCUMENT_STATE!;
  const world = JSON.parse(readFileSync(stateFile, "utf8")) as World;
  const line = world.lines.find(({ command }) => given.join(" ").includes(command));
  const args = given.map((argument) => fill(world, line, argument));
  // Otherwise the runner would wait for the next run.
  if (args[0] === "runner" && !args.includes("--once")) args.splice(1, 0, "--once");
  const isTyped = args[0] === "login" && !args.includes("--key-file") && !fstatSync(0).isFile();
  const input = isTyped ? `${args.includes("--email") ? world.password : world.key}\n` : undefined;
  const started = Date.now();
  let result = run(program, args, input, line?.env ?? {});
  while (line?.until && !result.output.includes(line.until) && Date.now() - started < 30_000)
    result = run(program, args, input, line.env ?? {});
  const { output, stderr, status, exitCode } = result;
  learn(world, output);
  writeFileSync(stateFile, JSON.stringify(world));
  const call: Call = {
    command: [program, ...args].join(" "),
    status,
    output: program === "curl" ? output : output + stderr,
  };
  appendFileSync(process.env.DOCUMENT_LOG!, `${JSON.stringify(call)}\n`);
  process.stdout.write(output);
  process.stderr.write(stderr);
  process.exit(exitCode);
}
