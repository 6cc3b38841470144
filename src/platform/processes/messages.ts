import type { LimitCall, LimitsAnswer } from "../limits/index.ts";
import type { ProcessSnapshot, Snapshot } from "../metrics.ts";

/** From the primary process to a serving one. */
export type ToChild =
  | { kind: "begin"; begin: Begin }
  /** The database is migrated, and this process may open it. */
  | { kind: "open" }
  /** With the socket of a connection. */
  | { kind: "connection"; id: number }
  | { kind: "stop"; drainMs: number }
  | { kind: "readMetrics"; id: number }
  | { kind: "limits"; id: number; answer: LimitsAnswer }
  | { kind: "allMetrics"; id: number; parts: ProcessSnapshot[] };

/** How a serving process begins. */
export interface Begin {
  /** From 1. The primary process is 0. */
  number: number;
  /** How many processes serve. */
  count: number;
  /** The URL of the address that the primary process listens on. */
  url: string;
}

/** From a serving process to the primary one. */
export type ToPrimary =
  | { kind: "hello" }
  /** `leaving`: a signal ends it, so it takes no more connections. */
  | { kind: "leaving" }
  | { kind: "ready" }
  | { kind: "accepted"; id: number }
  | { kind: "closed"; id: number }
  /** Without an id it is the last one of a process that ends. */
  | { kind: "metrics"; id?: number; snapshot: Snapshot }
  | { kind: "allMetrics"; id: number }
  | { kind: "limits"; id: number; call: LimitCall }
  | { kind: "endLimit"; id: number };
