import type { Evidence } from "../contract.ts";
import { showUrl } from "./address.ts";

/** One request in the trail. What it taught is written down once it has been understood. */
export interface Note {
  end(outcome: { status?: number; failure?: string }): void;
  learn(learned: string, rule: string, ...decided: string[]): void;
}

export interface Trail {
  begin(step: string, method: string, url: URL): Note;
  /** The requests in the order in which they were sent. */
  read(): Evidence[];
}

/** The record of a discovery. It holds URLs, codes and times: no header, no body, no session id. */
export function createTrail(): Trail {
  const started = performance.now();
  const since = (from: number) => Math.round((performance.now() - from) * 10) / 10;
  const entries: (Omit<Evidence, "url"> & { address: URL })[] = [];
  return {
    begin(step, method, url) {
      const begun = performance.now();
      const entry: (typeof entries)[number] = {
        step,
        method,
        address: url,
        startedMs: Math.round((begun - started) * 10) / 10,
        ms: 0,
        learned: "Not waited for.",
        rule: "Not needed for the verdict: something better had answered.",
        decided: [],
      };
      entries.push(entry);
      return {
        end({ status, failure }) {
          entry.ms = since(begun);
          if (status !== undefined) entry.status = status;
          if (failure !== undefined) entry.failure = failure;
        },
        learn(learned, rule, ...decided) {
          entry.learned = learned;
          entry.rule = rule;
          entry.decided = decided;
        },
      };
    },
    // Addresses are made presentable only now: most callers do not ask for the trail.
    read: () =>
      entries.map(({ step, method, address, ...entry }) => ({
        step,
        method,
        url: showUrl(address),
        ...entry,
      })),
  };
}
