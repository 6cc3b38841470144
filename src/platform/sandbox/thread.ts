/** The entry point of every worker thread. It loads the module of a task and runs it, one task at a time. */
import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { FromThread, Host, Run, ToThread } from "./protocol.ts";

const port = parentPort!;
const send = (message: FromThread) => port.postMessage(message);

// On Linux this sets the priority of this thread only, so that requests come first where there are few processors.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

type Pulled = { value: unknown } | "end";

const pulled = new Map<number, (answer: Pulled) => void>();
let taken = () => {};
let streams = 0;

const host: Host = {
  emit(value) {
    return new Promise((resolve) => {
      taken = resolve;
      send({ type: "event", value });
    });
  },
  async *open(service, input) {
    const stream = ++streams;
    send({ type: "open", stream, service, input });
    try {
      for (;;) {
        const answer = await new Promise<Pulled>((resolve) => {
          pulled.set(stream, resolve);
          send({ type: "pull", stream });
        });
        if (answer === "end") return;
        yield answer.value;
      }
    } finally {
      pulled.delete(stream);
      send({ type: "close", stream });
    }
  },
};

async function run(module: string, input: unknown): Promise<void> {
  try {
    const { default: task } = (await import(module)) as { default: Run<unknown, unknown> };
    send({ type: "done", value: await task(input, host) });
  } catch (error) {
    const { name, message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    const bounded = (text: string) => text.slice(0, 4_000);
    send({ type: "failed", name: bounded(name), message: bounded(message), stack: bounded(stack) });
  }
}

port.on("message", (message: ToThread) => {
  if (message.type === "run") void run(message.module, message.input);
  else if (message.type === "taken") taken();
  else pulled.get(message.stream)?.(message.type === "end" ? "end" : { value: message.value });
});
