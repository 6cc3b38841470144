import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Guard } from "./guard.ts";
import { createLineSplitter, type Line } from "./lines.ts";

export interface Command {
  program: string;
  args: readonly string[];
}

/** How a program ended. `fault`: it could not be started. */
export type ChildExit = { code: number } | { signal: NodeJS.Signals } | { fault: string };

interface OutputHandlers {
  onStdout(lines: Line[]): void;
  onStderr(lines: Line[]): void;
  /** Awaited before more is read, so that a program that prints too much has to wait. */
  waitForSpace(): Promise<void>;
}

export interface Child {
  /** Resolves when the program and its own child processes have ended and all output was read. */
  readonly ended: Promise<ChildExit>;
  /** Sends SIGTERM to the whole process group, and later SIGKILL. */
  stop(killAfterMs: number): void;
}

/** The child for a program that could not be started. */
export const createFailedChild = (fault: string): Child => ({ ended: Promise.resolve({ fault }), stop() {} });

/** How long output is read after the program has ended, while another process keeps the pipe open. */
const readAfterEndMs = 1_000;

export function startChild(
  { program, args }: Command,
  input: string,
  where: { cwd: string; env: NodeJS.ProcessEnv },
  limits: { stdout: number; stderr: number },
  handlers: OutputHandlers,
  guard: Guard,
): Child {
  let child: ChildProcessWithoutNullStreams;
  try {
    // Its own process group, so that a signal also reaches the processes that the program starts.
    child = spawn(program, args, { ...where, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    return createFailedChild((error as Error).message);
  }
  const { pid } = child;
  const exited = new Promise<ChildExit>((resolve) => {
    child.on("error", (error) => resolve({ fault: error.message }));
    child.on("exit", (code, signal) => resolve(signal ? { signal } : { code: code! }));
  });
  if (pid === undefined) return { ended: exited, stop: () => {} };
  guard.watch(pid);
  // A program does not have to read its stdin.
  child.stdin.on("error", () => {});
  child.stdin.end(input);

  const reading = { waiting: 0, at: Date.now() };
  const read = async (stream: Readable, maxBytes: number, onLines: (lines: Line[]) => void) => {
    const splitter = createLineSplitter(maxBytes);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        onLines(splitter.push(chunk));
        reading.waiting++;
        await handlers.waitForSpace();
        reading.waiting--;
        reading.at = Date.now();
      }
    } catch (error) {
      // The runner itself closes the stream below.
      if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    }
    onLines(splitter.end());
  };
  const allRead = Promise.all([
    read(child.stdout, limits.stdout, handlers.onStdout),
    read(child.stderr, limits.stderr, handlers.onStderr),
  ]);
  allRead.catch(() => {});

  let killing: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const ended = (async () => {
    const exit = await Promise.race([exited, allRead.then(() => exited)]);
    const done = allRead.then(() => "done" as const);
    const isQuiet = () => reading.waiting === 0 && Date.now() - reading.at > readAfterEndMs;
    reading.at = Date.now();
    while ((await Promise.race([done, sleep(100)])) !== "done" && !isQuiet());
    // Processes that the program left running end with its run.
    signalGroup(pid, "SIGKILL");
    reading.at = Date.now();
    while ((await Promise.race([done, sleep(100)])) !== "done") {
      // A process that has left the group still holds the pipe.
      if (isQuiet()) for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }
    hasEnded = true;
    clearTimeout(killing);
    guard.forget(pid);
    return exit;
  })();
  return {
    ended,
    stop(killAfterMs) {
      if (killing || hasEnded) return;
      signalGroup(pid, "SIGTERM");
      killing = setTimeout(() => signalGroup(pid, "SIGKILL"), killAfterMs);
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the group is empty. EPERM: on some systems, only zombies are left in it.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
