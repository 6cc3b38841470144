import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Body } from "../body.ts";

const program = join(import.meta.dirname, "../../bin/signalbox.mjs");

/**
 * The servers of these tests live for seconds. Optimizing the code of the embedded database takes a second of each, and
 * 1 GB of memory.
 */
const withoutOptimizing = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

export type Env = Record<string, string>;

const createdFolders: string[] = [];
const running = new Set<ChildProcess>();

/** A new folder for a test. `cleanUp` deletes it. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-process-"));
  createdFolders.push(folder);
  return join(folder, "data");
}

/** Copies a data folder of an instance that was started before. */
export function copyFolder(dataDir: string): string {
  const copy = freshFolder();
  cpSync(dataDir, copy, { recursive: true });
  chmodSync(copy, 0o700);
  return copy;
}

export async function killAll(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill("SIGKILL");
      return once(child, "close");
    }),
  );
}

export async function cleanUp(): Promise<void> {
  await killAll();
  for (const folder of createdFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

interface Output {
  stdout: string;
  stderr: string;
}

export function launch(args: string[], dataDir: string | undefined, env: Env, input?: string) {
  // The environment of the developer is not passed on: it may configure another Signalbox.
  const child = spawn(process.execPath, [...withoutOptimizing, program, ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      // Most tests need one process, which starts in half of the time.
      PROCESSES: "1",
      ...(dataDir ? { DATA_DIR: dataDir } : {}),
      ...env,
    },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  child.stdin?.end(input);
  running.add(child);
  const output: Output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  return { child, output, ended };
}

export interface StartedCommand {
  output: Output;
  ended: Promise<number | NodeJS.Signals>;
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Resolves when the output matches. */
  waitForOutput(what: RegExp): Promise<void>;
}

/** Starts `signalbox …` and leaves it running. */
export function start(args: string[], env: Env = {}): StartedCommand {
  const { child, output, ended } = launch(args, undefined, env);
  return {
    output,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
    waitForOutput: (what) =>
      new Promise((resolve, reject) => {
        const look = () => what.test(output.stdout + output.stderr) && resolve();
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        look();
        ended.then((code) => {
          reject(new Error(`It ended with ${code} without ${what}: ${output.stdout}${output.stderr}`));
        });
      }),
  };
}

export interface CommandResult extends Output {
  code: number | NodeJS.Signals;
}

/** Runs `signalbox …` to its end, with `input` on its stdin. */
export async function signalbox(
  args: string[],
  dataDir?: string,
  env: Env = {},
  input?: string,
): Promise<CommandResult> {
  const { output, ended } = launch(args, dataDir, env, input);
  return { code: await ended, ...output };
}

/** Starts `signalbox …` and kills it with SIGKILL when `text` appears on stdout. */
export async function killAfterOutput(
  text: string,
  args: string[],
  dataDir: string,
  env: Env = {},
): Promise<CommandResult> {
  const { child, output, ended } = launch(args, dataDir, env);
  const look = () => output.stdout.includes(text) && child.kill("SIGKILL");
  child.stdout.on("data", look);
  return { code: await ended, ...output };
}

export interface RunningServer {
  url: string;
  pid: number;
  output: Output;
  call(path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  send(signal: NodeJS.Signals): void;
  ended: Promise<number | NodeJS.Signals>;
}

type Answer = { status: number; body: Body };

/** Starts `signalbox serve` in a new process, and resolves when it is ready. */
export async function serve(
  dataDir: string | undefined,
  env: Env = {},
  args: string[] = [],
): Promise<RunningServer> {
  const { child, output, ended } = launch(["serve", ...args], dataDir, env);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const ready = /^Signalbox is ready at (\S+)$/m.exec(output.stdout);
      if (ready) resolve(ready[1]!);
    });
    ended.then((code) => reject(new Error(`It ended with ${code} before it was ready: ${output.stderr}`)));
  });
  return {
    url,
    pid: child.pid!,
    output,
    ended,
    call: (path, options) => call(url, path, options),
    send: (signal) => void child.kill(signal),
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

async function call(
  url: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return { status: response.status, body: isJson && text ? JSON.parse(text) : text };
}

export const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
export const adaSignIn = { email: ada.email, password: ada.password };

/** A port to use again after each start, so that callers find the server again. */
export async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}
