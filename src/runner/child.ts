import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Guard } from "./guard.ts";
import { createLineSplitter, type Line } from "./lines.ts";

export interface Command {
  program: string;
  args: readonly string[];
}

/** How a command ended. */
export type Exit = { code: number } | { signal: NodeJS.Signals } | { fault: string };

interface Listener {
  onStdout(lines: Line[]): void;
  onStderr(lines: Line[]): void;
  /** Awaited before more is read: so a command that says too much waits until it was heard. */
  room(): Promise<void>;
}

export interface Child {
  /** The command and everything it left behind have ended, and all it said was read. */
  readonly ended: Promise<Exit>;
  /** SIGTERM to the whole group, and SIGKILL if that was not enough. */
  stop(killAfterMs: number): void;
}

/** The result for a command that could not be started. */
export const neverStarted = (fault: string): Child => ({ ended: Promise.resolve({ fault }), stop() {} });

/** What somebody holds open after the end of the command is listened to for this long. */
const afterwardsMs = 1_000;

export function startChild(
  { program, args }: Command,
  input: string,
  where: { cwd: string; env: NodeJS.ProcessEnv },
  limits: { stdout: number; stderr: number },
  listener: Listener,
  guard: Guard,
): Child {
  let child: ChildProcessWithoutNullStreams;
  try {
    // A group of its own, so that a signal reaches what the command itself has started.
    child = spawn(program, args, { ...where, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  } catch (error) {
    return neverStarted((error as Error).message);
  }
  const { pid } = child;
  const exited = new Promise<Exit>((resolve) => {
    child.on("error", (error) => resolve({ fault: error.message }));
    child.on("exit", (code, signal) => resolve(signal ? { signal } : { code: code! }));
  });
  if (pid === undefined) return { ended: exited, stop: () => {} };
  guard.watch(pid);
  // A command need not read what it is asked.
  child.stdin.on("error", () => {});
  child.stdin.end(input);

  const reading = { waiting: 0, at: Date.now() };
  const read = async (stream: Readable, maxBytes: number, onLines: (lines: Line[]) => void) => {
    const splitter = createLineSplitter(maxBytes);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        onLines(splitter.push(chunk));
        reading.waiting++;
        await listener.room();
        reading.waiting--;
        reading.at = Date.now();
      }
    } catch (error) {
      // Closed by us, below.
      if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    }
    onLines(splitter.end());
  };
  const heard = Promise.all([
    read(child.stdout, limits.stdout, listener.onStdout),
    read(child.stderr, limits.stderr, listener.onStderr),
  ]);
  heard.catch(() => {});

  let killing: NodeJS.Timeout | undefined;
  const ended = (async () => {
    const exit = await Promise.race([exited, heard.then(() => exited)]);
    const all = heard.then(() => "all" as const);
    const isQuiet = () => reading.waiting === 0 && Date.now() - reading.at > afterwardsMs;
    reading.at = Date.now();
    while ((await Promise.race([all, sleep(100)])) !== "all" && !isQuiet());
    // Whatever the command left running ends with its run.
    signalGroup(pid, "SIGKILL");
    reading.at = Date.now();
    while ((await Promise.race([all, sleep(100)])) !== "all") {
      // Something that has left the group still holds the pipe.
      if (isQuiet()) for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }
    clearTimeout(killing);
    guard.forget(pid);
    return exit;
  })();
  return {
    ended,
    stop(killAfterMs) {
      if (killing) return;
      signalGroup(pid, "SIGTERM");
      killing = setTimeout(() => signalGroup(pid, "SIGKILL"), killAfterMs);
    },
  };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: nobody is left in it. EPERM: only zombies are, on some systems.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
