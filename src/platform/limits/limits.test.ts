import { NoPlaceError } from "@signalbox/flow-control";
import { describe, expect, test } from "vitest";
import { createMetrics } from "../metrics.ts";
import { hostLimits } from "./host.ts";
import type { LimitCall, Limits } from "./limits.ts";
import { createLocalLimits } from "./local.ts";
import { createRemoteLimits } from "./remote.ts";

/** Two processes that share limits. Messages are copied, as between processes. */
function createProcesses() {
  const metrics = createMetrics();
  const shared = createLocalLimits(metrics);
  const join = () => {
    const host = hostLimits(shared);
    let asked = 0;
    const answer = async (id: number, call: LimitCall) =>
      structuredClone(await host.answer(id, structuredClone(call)));
    const limits: Limits = createRemoteLimits({
      ask: (call) => {
        const id = ++asked;
        return { id, answer: answer(id, call) };
      },
      tell: (call) => void answer(0, call),
      end: (id) => host.end(id),
    });
    return { limits, kill: () => host.endAll() };
  };
  return { one: join(), other: join(), metrics };
}

const queue = {
  name: "work",
  options: { capacity: 4, maxWaitMs: 60_000, maxWaiting: 10, maxWaitingPerKey: 10 },
};
const readHeld = ({ metrics }: ReturnType<typeof createProcesses>) =>
  metrics.read().gauges.fair_queue_held!.values['queue="work"'];

describe("limits of several processes", () => {
  test("a queue has its capacity once, and a released place serves a caller of another process", async () => {
    const processes = createProcesses();
    const { one, other } = processes;
    const places = [await one.limits.enter(queue, "a"), await one.limits.enter(queue, "a")];
    expect(await other.limits.tryEnter(queue, "a")).toBeUndefined();
    await other.limits.enter(queue, "b");
    await other.limits.enter(queue, "c");
    const waiting = other.limits.enter(queue, "d");
    expect(readHeld(processes)).toBe(4);
    places[0]!();
    places[0]!();
    await waiting;
    expect(readHeld(processes)).toBe(4);
  });

  test("a process that is killed returns what it held and no longer waits", async () => {
    const processes = createProcesses();
    const { one, other } = processes;
    for (const key of ["a", "b", "c", "d"]) await one.limits.enter(queue, key);
    void one.limits.enter(queue, "e");
    const waiting = other.limits.enter(queue, "f");
    one.kill();
    await waiting;
    expect(readHeld(processes)).toBe(1);
    expect(processes.metrics.read().gauges.fair_queue_waiting!.values['queue="work"']).toBe(0);
  });

  test("a caller that gives up leaves no place behind", async () => {
    const processes = createProcesses();
    const { one, other } = processes;
    const places = await Promise.all(["a", "b", "c", "d"].map((key) => one.limits.enter(queue, key)));
    const abort = new AbortController();
    const waiting = other.limits.enter(queue, "e", { signal: abort.signal });
    abort.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    for (const release of places) release();
    expect(readHeld(processes)).toBe(0);
  });

  test("a full queue refuses as it does in one process", async () => {
    const { one, other } = createProcesses();
    const small = {
      name: "small",
      options: { capacity: 1, maxWaitMs: 0, maxWaiting: 0, maxWaitingPerKey: 0 },
    };
    await one.limits.enter(small, "a");
    const refused = other.limits.enter(small, "b");
    await expect(refused).rejects.toBeInstanceOf(NoPlaceError);
    await expect(refused).rejects.toMatchObject({ reason: "queue_full" });
  });

  test("places are taken under every key or under none", async () => {
    const { one, other } = createProcesses();
    const take = (limits: Limits, credential: string) =>
      limits.takePlaces([
        { key: credential, most: 2 },
        { key: "organization", most: 3 },
      ]);
    await take(one.limits, "a");
    const second = await take(other.limits, "a");
    expect(await take(one.limits, "a")).toEqual({ full: "a", taken: 2 });
    await take(one.limits, "b");
    expect(await take(other.limits, "b")).toEqual({ full: "organization", taken: 3 });
    if ("release" in second) second.release();
    expect(await take(other.limits, "b")).toHaveProperty("release");
  });

  test("a rate counts the calls of both", async () => {
    const { one, other } = createProcesses();
    const take = ({ limits }: typeof one) => limits.takeRate("calls", "member", 3);
    expect([await take(one), await take(other), await take(one)]).toEqual([undefined, undefined, undefined]);
    expect(await take(other)).toBeGreaterThan(0);
    other.limits.setRate("others", 3);
    expect(await one.limits.takeRate("others", "member", 3)).toBeGreaterThan(0);
  });

  test("a queue of a single object is forgotten when nobody uses it, and is not part of the metrics", async () => {
    const { one, metrics } = createProcesses();
    const temporary = { ...queue, name: "of one object", temporary: true };
    const release = await one.limits.enter(temporary, "a");
    expect(metrics.read().gauges.fair_queue_held!.values).toEqual({});
    release();
    // With other options it would be another queue.
    const larger = { ...temporary, options: { ...queue.options, capacity: 100 } };
    await one.limits.enter(larger, "a");
    for (let i = 0; i < 30; i++) expect(await one.limits.tryEnter(larger, "a")).toBeDefined();
  });
});
