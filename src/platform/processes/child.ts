import cluster from "node:cluster";
import type { Socket } from "node:net";
import { createRemoteLimits, type Limits, type LimitsAnswer } from "../limits/index.ts";
import type { ProcessSnapshot, Snapshot } from "../metrics.ts";
import type { Begin, ToChild, ToPrimary } from "./messages.ts";

/** The connection of a serving process to its primary process. When it ends, the process ends too. */
export interface PrimaryLink extends Begin {
  limits: Limits;
  /** Resolves when this process may open the database. */
  mayOpen: Promise<void>;
  /** Aborts when this process should stop. */
  stopping: AbortSignal;
  /** How long open connections may be used for a last request. */
  drainMs(): number;
  /** From now on, the primary process hands over connections. */
  reportReady(onConnection: (socket: Socket) => void): void;
  /** Call it when this process stops without having been asked to. */
  reportLeaving(): void;
  /** Sets what is counted in this process. */
  serveMetrics(read: () => Snapshot): void;
  /** The metrics of all processes. */
  collectMetrics(): Promise<ProcessSnapshot[]>;
  /** Reports for the last time what was counted. */
  leave(): Promise<void>;
}

export const isChild = (): boolean => cluster.isWorker;

/** Joins the primary process that started this one. */
export async function joinPrimary(): Promise<PrimaryLink> {
  const begin = Promise.withResolvers<Begin>();
  const mayOpen = Promise.withResolvers<void>();
  const stop = new AbortController();
  const waiting = new Map<number, (answer: never) => void>();
  let drainMs = 0;
  let asked = 0;
  let read: (() => Snapshot) | undefined;

  const send = (message: ToPrimary) => void process.send!(message, undefined, {}, () => {});
  const ask = <T>(message: (id: number) => ToPrimary): { id: number; answer: Promise<T> } => {
    const id = ++asked;
    const answer = new Promise<T>((resolve) => waiting.set(id, resolve as (answer: never) => void));
    send(message(id));
    return { id, answer };
  };
  const settle = (id: number, answer: unknown) => {
    waiting.get(id)?.(answer as never);
    waiting.delete(id);
  };

  let onConnection: ((socket: Socket) => void) | undefined;

  function take(id: number, socket: Socket | undefined): void {
    // The caller may have left on the way.
    if (socket) onConnection!(socket);
    send({ kind: "accepted", id });
    if (socket) socket.once("close", () => send({ kind: "closed", id }));
    else send({ kind: "closed", id });
  }

  process.on("message", (message: ToChild, socket?: Socket) => {
    if (message.kind === "begin") begin.resolve(message.begin);
    else if (message.kind === "open") mayOpen.resolve();
    else if (message.kind === "connection") take(message.id, socket);
    else if (message.kind === "limits") settle(message.id, message.answer);
    else if (message.kind === "allMetrics") settle(message.id, message.parts);
    else if (message.kind === "stop") {
      ({ drainMs } = message);
      stop.abort();
    } else if (read) send({ kind: "metrics", id: message.id, snapshot: read() });
  });
  send({ kind: "hello" });
  return {
    ...(await begin.promise),
    limits: createRemoteLimits({
      ask: (call) => ask<LimitsAnswer>((id) => ({ kind: "limits", id, call })),
      tell: (call) => send({ kind: "limits", id: 0, call }),
      end: (id) => {
        waiting.delete(id);
        send({ kind: "endLimit", id });
      },
    }),
    mayOpen: mayOpen.promise,
    stopping: stop.signal,
    drainMs: () => drainMs,
    reportReady: (given) => {
      onConnection = given;
      send({ kind: "ready" });
    },
    reportLeaving: () => send({ kind: "leaving" }),
    serveMetrics: (given) => {
      read = given;
    },
    collectMetrics: () => ask<ProcessSnapshot[]>((id) => ({ kind: "allMetrics", id })).answer,
    leave: () =>
      new Promise((resolve) => {
        if (!read) return resolve();
        const message: ToPrimary = { kind: "metrics", snapshot: read() };
        process.send!(message, undefined, {}, () => resolve());
      }),
  };
}
