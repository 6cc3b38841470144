import type { Evidence } from "../contract.ts";
import { showUrl } from "./address.ts";

/** One request in the trail. What it taught is written down once it has been understood. */
export interface Note {
  end(outcome: { status?: number; failure?: string }): void;
  learn(learned: string, rule: string, ...decided: string[]): void;
}

export interface Trail {
  begin(step: string, method: string, url: URL): Note;
  /** Marks unanswered requests as abandoned, except those that close sessions. Called after the verdict. */
  finish(): void;
  /** The requests in the order in which they were sent. */
  read(): Evidence[];
}

type Entry = Omit<Evidence, "url"> & { address: URL; abandon(): void };

/** Why the verdict may not need the answer to a request that was sent early. */
const unneeded: Record<string, string> = {
  probe_discover:
    "MCP 2025-11-25, Lifecycle › Initialization: the handshake had answered, and only servers of 2026-07-28 have server/discover",
  probe_initialize:
    "MCP 2026-07-28, Discovery: server/discover had answered, and that revision has no handshake",
  resource_metadata:
    "RFC 9728 §5.1: the metadata that the challenge names takes precedence over the well-known place",
  server_metadata:
    "RFC 8414 §3.1 and MCP 2025-11-25, Authorization › Server Metadata Discovery: an earlier place in the order had the document",
};

/** The record of a discovery. It holds URLs, codes and times: no header, no body, no session id. */
export function createTrail(): Trail {
  const started = performance.now();
  const since = (from: number) => Math.round((performance.now() - from) * 10) / 10;
  const entries: Entry[] = [];
  return {
    begin(step, method, url) {
      const begun = performance.now();
      const entry: Entry = {
        step,
        method,
        address: url,
        startedMs: Math.round((begun - started) * 10) / 10,
        ms: 0,
        learned: "The answer was not needed for the verdict.",
        rule: unneeded[step] ?? "The verdict was made without it.",
        decided: [],
        abandon() {
          if (isOver || step === "close_session") return;
          isOver = true;
          entry.ms = since(begun);
          entry.failure = "abandoned";
          entry.learned = "Abandoned without an answer: the verdict did not need it.";
        },
      };
      let isOver = false;
      entries.push(entry);
      return {
        end({ status, failure }) {
          if (isOver) return;
          isOver = true;
          entry.ms = since(begun);
          if (status !== undefined) entry.status = status;
          if (failure !== undefined) entry.failure = failure;
        },
        learn(learned, rule, ...decided) {
          if (entry.failure === "abandoned") return;
          entry.learned = learned;
          entry.rule = rule;
          entry.decided = decided;
        },
      };
    },
    finish() {
      for (const entry of entries) entry.abandon();
    },
    // Addresses are made presentable only now: most callers do not ask for the trail.
    read: () =>
      entries.map(({ step, method, address, abandon: _, ...entry }) => ({
        step,
        method,
        url: showUrl(address),
        ...entry,
      })),
  };
}
