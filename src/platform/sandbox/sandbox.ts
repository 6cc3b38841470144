import { Worker } from "node:worker_threads";
import { SandboxError } from "./errors.ts";
import type { FromThread, ToThread } from "./protocol.ts";

/** Produces items for a task, one at a time on demand. `signal` aborts when the task has ended. */
export type Service = (input: unknown, signal: AbortSignal) => AsyncIterable<unknown>;

export interface Task<Event> {
  /** The default export of this module is a `Run`. */
  module: URL;
  input: unknown;
  services?: Record<string, Service>;
  /** The task sends its next event after this has resolved. */
  onEvent?(event: Event): void | Promise<void>;
  /** CPU time that the task may use. Waiting for a service does not count. */
  computeMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Runs tasks on untrusted input in worker threads. A task that takes too much memory or time ends with its thread, and
 * affects nothing else.
 */
export interface Sandbox {
  run<Result, Event = unknown>(task: Task<Event>): Promise<Result>;
  /** The number of threads, busy or idle. */
  readonly threads: number;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Further tasks wait for a thread. */
  maxThreads?: number;
  /** Memory for JavaScript objects in one thread. Buffers do not count: a task must limit its own. */
  heapMb?: number;
  /** An idle thread ends after this time. */
  idleMs?: number;
  /** A thread ends after this many tasks, so that leaks do not add up. */
  tasksPerThread?: number;
}

interface Thread {
  worker: Worker;
  tasks: number;
  idle: NodeJS.Timeout | undefined;
}

const checkMs = 200;

export function createSandbox({
  maxThreads = 8,
  heapMb = 256,
  idleMs = 30_000,
  tasksPerThread = 50,
}: SandboxOptions = {}): Sandbox {
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  const waiting = new Set<(thread: Thread) => void>();
  const closing = new AbortController();

  function start(): Thread {
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      // A task must not see environment variables, because some are secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    const thread: Thread = { worker, tasks: 0, idle: undefined };
    threads.add(thread);
    // Without a listener an error of a thread would end the process.
    worker.on("error", () => {});
    worker.once("exit", () => remove(thread));
    return thread;
  }

  function remove(thread: Thread): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.idle);
    const at = idle.indexOf(thread);
    if (at >= 0) idle.splice(at, 1);
    const [next] = waiting;
    if (next && !closing.signal.aborted) next(start());
  }

  async function acquireThread(signal: AbortSignal): Promise<Thread> {
    const free = idle.pop();
    if (free) {
      clearTimeout(free.idle);
      free.worker.ref();
      return free;
    }
    if (threads.size < maxThreads) return start();
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(receive);
        reject(isAbandoned());
      };
      const receive = (thread: Thread) => {
        waiting.delete(receive);
        signal.removeEventListener("abort", giveUp);
        resolve(thread);
      };
      waiting.add(receive);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Makes a thread available again after a successful task. */
  function releaseThread(thread: Thread): void {
    if (!threads.has(thread)) return;
    const [next] = waiting;
    if (++thread.tasks >= tasksPerThread || closing.signal.aborted) end(thread);
    else if (next) next(thread);
    else {
      thread.worker.unref();
      thread.idle = setTimeout(() => end(thread), idleMs).unref();
      idle.push(thread);
    }
  }

  function end(thread: Thread): void {
    void thread.worker.terminate();
    remove(thread);
  }

  return {
    get threads() {
      return threads.size;
    },
    async run<Result, Event>(task: Task<Event>): Promise<Result> {
      const signal = AbortSignal.any([closing.signal, ...(task.signal ? [task.signal] : [])]);
      if (signal.aborted) throw isAbandoned();
      const thread = await acquireThread(signal);
      try {
        // The task may have been aborted while it waited for the thread.
        if (signal.aborted) throw isAbandoned();
        const result = await perform<Result, Event>(thread.worker, task, signal);
        releaseThread(thread);
        return result;
      } catch (error) {
        end(thread);
        throw error;
      }
    },
    async close() {
      closing.abort();
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

const isAbandoned = () => new SandboxError("aborted", "The task was aborted before it ended.");

function perform<Result, Event>(worker: Worker, task: Task<Event>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const over = new AbortController();
  const streams = new Map<number, AsyncIterator<unknown>>();
  const send = (message: ToThread) => worker.postMessage(message);
  const crashed = (cause?: unknown) =>
    new SandboxError("crashed", "The task in the thread failed.", { cause });

  // Errors of the caller's own functions reach the caller unchanged.
  const onMessage = (message: FromThread) => void receive(message).catch(reject);
  async function receive(message: FromThread): Promise<void> {
    switch (message.type) {
      case "event":
        await task.onEvent?.(message.value as Event);
        return send({ type: "taken" });
      case "open": {
        const service = task.services?.[message.service];
        if (!service) throw new Error(`There is no service ${message.service}.`);
        streams.set(message.stream, service(message.input, over.signal)[Symbol.asyncIterator]());
        return;
      }
      case "pull": {
        const { stream } = message;
        const next = await streams.get(stream)?.next();
        if (over.signal.aborted) return;
        if (!next || next.done) return send({ type: "end", stream });
        return send({ type: "item", stream, value: next.value });
      }
      case "close": {
        const stream = streams.get(message.stream);
        streams.delete(message.stream);
        await stream?.return?.();
        return;
      }
      case "done":
        return resolve(message.value as Result);
      default: {
        const error = new Error(message.message);
        error.name = message.name;
        error.stack = message.stack;
        return reject(crashed(error));
      }
    }
  }
  const onError = (error: Error & { code?: string }) =>
    reject(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? new SandboxError("out_of_memory", "The task needed more memory than a thread has.")
        : crashed(error),
    );
  const onExit = () => reject(crashed());
  const onAbort = () => reject(isAbandoned());
  worker.on("message", onMessage);
  worker.on("error", onError);
  worker.on("exit", onExit);
  signal.addEventListener("abort", onAbort, { once: true });
  // CPU time of the thread. On a busy machine, elapsed time would include time in which the thread did not run.
  const usedMs = async () => {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  };
  const before = usedMs().catch(() => 0);
  const look = async () => {
    if ((await usedMs()) - (await before) > task.computeMs)
      reject(
        new SandboxError("out_of_time", `The task computed for longer than ${task.computeMs / 1000} s.`),
      );
  };
  // A thread that has just ended has no usage. `onExit` handles its end.
  const watching = setInterval(() => void look().catch(() => {}), checkMs).unref();
  send({ type: "run", module: task.module.href, input: task.input });
  return promise.finally(() => {
    over.abort();
    clearInterval(watching);
    worker.off("message", onMessage);
    worker.off("error", onError);
    worker.off("exit", onExit);
    signal.removeEventListener("abort", onAbort);
    for (const stream of streams.values()) void stream.return?.().catch(() => {});
  });
}
