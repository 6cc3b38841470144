import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions, type Task } from "./index.ts";

const module = new URL("../../../test/fixtures/sandbox-task.ts", import.meta.url);
const open: Sandbox[] = [];
const create = (options?: SandboxOptions) => {
  const sandbox = createSandbox(options);
  open.push(sandbox);
  return sandbox;
};
afterEach(() => Promise.all(open.splice(0).map((sandbox) => sandbox.close())));

const run = (sandbox: Sandbox, input: object, more: Partial<Task<unknown>> = {}) =>
  sandbox.run<unknown>({ module, input, computeMs: 20_000, ...more });

describe("a task in a thread", () => {
  test("gets its input and returns its result; a thread runs several tasks, up to a limit", async () => {
    const sandbox = create({ tasksPerThread: 2 });
    const add = () => run(sandbox, { do: "add", numbers: [1, 2] });
    expect([await add(), await add(), await add()]).toEqual([
      { sum: 3, tasks: 1 },
      { sum: 3, tasks: 2 },
      { sum: 3, tasks: 1 },
    ]);
  });

  test("does not block the main thread, and ends when it computes for too long", async () => {
    const sandbox = create();
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    await expect(run(sandbox, { do: "compute" }, { computeMs: 1_000 })).rejects.toMatchObject({
      name: "SandboxError",
      kind: "out_of_time",
    });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
    expect(sandbox.threads).toBe(0);
  });

  test("may wait for longer than it may compute", async () => {
    const sandbox = create();
    const services = {
      async *slow() {
        await pause(1_500);
        yield "late";
      },
    };
    const input = { do: "gather", service: "slow" };
    expect(await run(sandbox, input, { services, computeMs: 1_000 })).toEqual(["late"]);
  });

  test("that exceeds its memory ends alone: this process continues, and the next task runs", async () => {
    const sandbox = create({ heapMb: 64 });
    await expect(run(sandbox, { do: "hoard" })).rejects.toMatchObject({ kind: "out_of_memory" });
    expect(await run(sandbox, { do: "add", numbers: [4] })).toEqual({ sum: 4, tasks: 1 });
  });

  test("that throws or ends its thread has another error kind than one that exceeds a limit", async () => {
    const sandbox = create();
    await expect(run(sandbox, { do: "throw" })).rejects.toMatchObject({
      kind: "crashed",
      cause: { name: "TypeError", message: "wrong" },
    });
    await expect(run(sandbox, { do: "exit" })).rejects.toMatchObject({ kind: "crashed" });
    expect(await run(sandbox, { do: "add", numbers: [4] })).toMatchObject({ sum: 4 });
  });

  test("ends when its caller aborts, while it computes or waits, and when the sandbox closes", async () => {
    const sandbox = create();
    for (const what of ["compute", "wait"]) {
      const signal = AbortSignal.timeout(300);
      await expect(run(sandbox, { do: what }, { signal })).rejects.toMatchObject({ kind: "aborted" });
    }
    await expect(
      run(sandbox, { do: "wait" }, { signal: AbortSignal.abort(new Error("x")) }),
    ).rejects.toMatchObject({ kind: "aborted" });
    const closed = run(sandbox, { do: "wait" });
    void sandbox.close();
    await expect(closed).rejects.toMatchObject({ kind: "aborted" });
  });

  test("sends events one at a time: the next waits until this one was handled", async () => {
    const sandbox = create();
    const seen: unknown[] = [];
    let taking = 0;
    const onEvent = async (event: unknown) => {
      expect(++taking).toBe(1);
      await pause(5);
      seen.push(event);
      taking--;
    };
    expect(await run(sandbox, { do: "emit", events: 5 }, { onEvent })).toBe(5);
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    const onError = () => {
      throw new RangeError("not this one");
    };
    await expect(run(sandbox, { do: "emit", events: 5 }, { onEvent: onError })).rejects.toThrow(
      "not this one",
    );
  });

  test("gets the items of a service on demand, and closes the service when it stops early", async () => {
    const sandbox = create();
    let made = 0;
    let closed = false;
    const services = {
      async *count(input: unknown) {
        try {
          for (;;) yield `${input} ${++made}`;
        } finally {
          closed = true;
        }
      },
    };
    const gathered = await run(sandbox, { do: "gather", service: "count", stopAfter: 3 }, { services });
    expect(gathered).toEqual(["please 1", "please 2", "please 3"]);
    expect(made).toBe(3);
    await expect.poll(() => closed).toBe(true);
  });

  test("sees no variable of the environment", async () => {
    expect(await run(create(), { do: "environment" })).toEqual([]);
  });

  test("more tasks than threads wait for their turn, and idle threads end", async () => {
    const sandbox = create({ maxThreads: 2, idleMs: 300 });
    const results = Array.from({ length: 7 }, () => run(sandbox, { do: "add", numbers: [1] }));
    expect(sandbox.threads).toBe(2);
    const given = await Promise.race([
      run(sandbox, { do: "add", numbers: [1] }, { signal: AbortSignal.timeout(0) }).catch(({ kind }) => kind),
    ]);
    expect(given).toBe("aborted");
    await Promise.all(results);
    expect(sandbox.threads).toBeLessThanOrEqual(2);
    await expect.poll(() => sandbox.threads, { timeout: 5_000 }).toBe(0);
  });
});
