import cluster from "node:cluster";
import type { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { computePause } from "@signalbox/flow-control";
import { createServerWithoutSocket } from "../http/index.ts";
import {
  createLocalLimits,
  hostLimits,
  type LimitCall,
  type Limits,
  type LimitsClient,
} from "../limits/index.ts";
import type { Log } from "../log.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { createBalancer } from "./balancer.ts";
import { createCollector, type MeasuredProcess } from "./collector.ts";
import type { ToChild, ToPrimary } from "./messages.ts";

/** Serving processes need at most 9.5 s to stop. */
const killAfterMs = 10_500;
/** How long connections to a process that is replaced stay usable. Clients use others after their next request. */
const drainMs = 2_000;
/** The pause before a process is started again. It grows with its ends in the last minute. */
const pauses = { firstMs: 100, maxMs: 10_000, jitter: 0.1 };
const recentMs = 60_000;

/** A place for a serving process. When the process ends, another one takes its place. */
interface Slot {
  number: number;
  child: Child | undefined;
  /** True while a process starts that will replace `child`. */
  isReplacing: boolean;
  /** When processes of this place ended unexpectedly. */
  deaths: number[];
}

interface Child extends MeasuredProcess {
  /** `leaving`: it stops without having been asked to, and will be replaced. */
  state: "starting" | "ready" | "leaving" | "stopping";
  limits: LimitsClient;
  /** Resolves with true when it is ready, and with false when it ends before. */
  started: PromiseWithResolvers<boolean>;
  /** Resolves with its exit code. */
  ended: PromiseWithResolvers<number>;
}

export interface PrimaryOptions {
  count: number;
  /** Listens on the address of the service, and leaves connections paused. */
  server: Server;
  /** The URL of that address. */
  url: string;
  log: Log;
  /** Stops everything. */
  signal: AbortSignal;
  /** Called when all processes are ready. */
  onReady(): void;
}

export interface Primary {
  /** Replaces one process after the other. */
  replaceAll(): Promise<void>;
  /** Resolves with the exit code when everything has ended. */
  ended: Promise<number>;
}

/**
 * Starts the serving processes, and starts another one for each that ends. The connections are
 * accepted here and handed over. The first process migrates the database; the others load their code meanwhile.
 */
export function runPrimary({ count, server, url, log, signal, onReady }: PrimaryOptions): Primary {
  const metrics: Metrics = createMetrics();
  const limits: Limits = createLocalLimits(metrics);
  const collector = createCollector(metrics);
  const children = new Set<Child>();
  const slots = Array.from({ length: count }, (_, i): Slot => {
    return { number: i + 1, child: undefined, isReplacing: false, deaths: [] };
  });
  const ended = Promise.withResolvers<number>();
  const starting = createServerWithoutSocket({ keepAlive: false });
  const balancer = createBalancer(
    server,
    () => children,
    (socket) => {
      starting.take(socket);
      socket.resume();
    },
  );
  /** True when a process was ready, so that the database is migrated. */
  let isOpen = false;
  let isStopping = false;
  let replacing: Promise<void> | undefined;
  let isReplaceRequested = false;
  describeProcesses();

  function launch(slot: Slot): Child {
    const child: Child = {
      worker: cluster.fork(),
      number: slot.number,
      state: "starting",
      limits: hostLimits(limits),
      started: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    };
    children.add(child);
    child.worker.on("message", (message: ToPrimary) => receive(child, message));
    child.worker.on("error", (error) => log.warn({ err: error, number: child.number }, "process"));
    child.worker.on("exit", (code, killedBy) => {
      children.delete(child);
      child.limits.endAll();
      collector.retire(child);
      balancer.forget(child);
      child.started.resolve(false);
      child.ended.resolve(code ?? 1);
      if (child.state !== "stopping" && !isStopping) onUnexpectedEnd(slot, child, killedBy || code);
    });
    return child;
  }

  function receive(child: Child, message: ToPrimary): void {
    if (message.kind === "hello") begin(child);
    else if (message.kind === "ready") onReadyChild(child);
    else if (message.kind === "leaving") onLeavingChild(child);
    else if (message.kind === "accepted") balancer.accepted(message.id);
    else if (message.kind === "closed") balancer.closed(child);
    else if (message.kind === "limits") void answerLimits(child, message.id, message.call);
    else if (message.kind === "endLimit") child.limits.end(message.id);
    else if (message.kind === "metrics") collector.receive(child, message.id, message.snapshot);
    else void answerMetrics(child, message.id);
  }

  function begin(child: Child): void {
    const { number } = child;
    send(child, { kind: "begin", begin: { number, count, url } });
    // The first one migrates the database. The others load their code meanwhile.
    if (isOpen || number === 1) send(child, { kind: "open" });
  }

  function onReadyChild(child: Child): void {
    if (child.state === "starting") child.state = "ready";
    if (!isOpen) {
      isOpen = true;
      for (const other of children) if (other.state === "starting") send(other, { kind: "open" });
    }
    log.info({ number: child.number, pid: child.worker.process.pid }, "process ready");
    child.started.resolve(true);
  }

  function onLeavingChild(child: Child): void {
    if (child.state !== "stopping") child.state = "leaving";
  }

  async function answerLimits(child: Child, id: number, call: LimitCall): Promise<void> {
    const answer = await child.limits.answer(id, call);
    if (id > 0) send(child, { kind: "limits", id, answer });
  }

  async function answerMetrics(child: Child, id: number): Promise<void> {
    const parts = await collector.collect([...children].filter(({ state }) => state !== "starting"));
    send(child, { kind: "allMetrics", id, parts });
  }

  function onUnexpectedEnd(slot: Slot, child: Child, reason: string | number): void {
    // Before anything was ready, the configuration is wrong. The process has said what.
    if (!isOpen) {
      void stopAll(child.ended.promise);
      return;
    }
    if (slot.child !== child) return;
    slot.child = undefined;
    if (slot.isReplacing) return;
    log.error(
      { number: slot.number, pid: child.worker.process.pid, reason },
      "process ended, starting another",
    );
    void restart(slot);
  }

  async function restart(slot: Slot): Promise<void> {
    const now = Date.now();
    slot.deaths = [...slot.deaths.filter((time) => now - time < recentMs), now];
    metrics.count("process_restarts_total");
    await sleep(computePause(slot.deaths.length, pauses), undefined, { signal }).catch(() => {});
    if (!isStopping) slot.child = launch(slot);
  }

  function stop(child: Child, drain: number): Promise<number> {
    child.state = "stopping";
    send(child, { kind: "stop", drainMs: drain });
    const kill = setTimeout(() => child.worker.process.kill("SIGKILL"), killAfterMs + drain);
    return child.ended.promise.finally(() => clearTimeout(kill));
  }

  async function stopAll(code: Promise<number> | number): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    server.close();
    await Promise.all([...children].map((child) => stop(child, 0)));
    ended.resolve(await code);
  }

  async function replaceEach(): Promise<void> {
    for (const slot of slots) {
      const old = slot.child;
      if (isStopping || old?.state !== "ready") continue;
      slot.isReplacing = true;
      const fresh = launch(slot);
      const isReady = await fresh.started.promise;
      slot.isReplacing = false;
      if (isStopping) return;
      if (!isReady) {
        log.error({ number: slot.number }, "a new process did not start, so the old ones stay");
        if (!slot.child) void restart(slot);
        return;
      }
      slot.child = fresh;
      await stop(old, drainMs);
    }
    log.info("all processes were replaced");
  }

  async function replaceAll(): Promise<void> {
    isReplaceRequested = true;
    replacing ??= (async () => {
      while (isReplaceRequested && !isStopping) {
        isReplaceRequested = false;
        await replaceEach();
      }
      replacing = undefined;
    })();
    return replacing;
  }

  function describeProcesses(): void {
    metrics.describe("processes", "Processes of this machine that serve, by state.");
    metrics.gauge("processes", () => countStates(children), "sum");
    metrics.describe("process_restarts_total", "Processes that ended unexpectedly and were started again.");
    metrics.count("process_restarts_total", {}, 0);
    metrics.gauge("process_resident_memory_bytes", () => process.memoryUsage.rss(), "each");
  }

  for (const slot of slots) slot.child = launch(slot);
  Promise.all(slots.map(({ child }) => child!.started.promise)).then(() => {
    if (!isStopping) onReady();
  });
  if (signal.aborted) void stopAll(0);
  else signal.addEventListener("abort", () => void stopAll(0), { once: true });
  return { replaceAll, ended: ended.promise };
}

function send({ worker }: Child, message: ToChild): void {
  // A process that has just ended does not need the message.
  if (worker.isConnected()) worker.send(message, () => {});
}

function countStates(children: ReadonlySet<Child>) {
  const states = ["starting", "ready", "leaving", "stopping"] as const;
  return states.map((state) => ({
    labels: { state },
    value: [...children].filter((child) => child.state === state).length,
  }));
}
