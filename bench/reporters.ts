import { formatRequest, type LoadTurn, measureLoad } from "./load.ts";
import type { Child } from "./measure.ts";

export interface Reporters {
  /** Each reports on a run and a connection of its own, so many events in a request. Rate and CPU are of events. */
  report(seconds: number, batch: number): Promise<LoadTurn>;
}

const text = "The quick brown fox jumps over the lazy dog. ".repeat(4);

const payload = `{"text":"${text}"}`;

/** A row with one event, as the service stores it. The peer stores the same. */
export const storedEvent = `[{"type":"assistant","createdAt":1700000000000,"payload":${payload}}]`;

const formatEvent = (sequence: number, createdAt: number) =>
  `{"attempt":1,"sequence":${sequence},"type":"assistant","payload":${payload},"createdAt":${createdAt}}`;

/** At most so many requests are written before a turn. If a server is faster, the others are written while it is measured. */
const maxPrepared = { requests: 16_000, bytes: 64 * 1024 * 1024 };

export function createReporters(
  child: Child,
  headers: Record<string, string>,
  runIds: readonly string[],
): Reporters {
  const { host } = new URL(child.url);
  const sequences = runIds.map(() => 0);
  const all = { "content-type": "application/json", ...headers };
  const formatReport = (reporter: number, first: number, batch: number) => {
    const now = Date.now();
    const events = Array.from({ length: batch }, (_, n) => formatEvent(first + n, now));
    const path = `/v1/automation-runs/${runIds[reporter]}/events${batch === 1 ? "" : "/batch"}`;
    const body = batch === 1 ? events[0]! : `{"events":[${events.join(",")}]}`;
    return Buffer.from(formatRequest(host, "POST", path, all, body), "latin1");
  };
  return {
    async report(seconds, batch) {
      // Written before the measurement, because both processes share the machine.
      const bytes = formatReport(0, 0, batch).length;
      const count = Math.min(maxPrepared.requests * seconds, maxPrepared.bytes / bytes) / runIds.length;
      const prepared = sequences.map((first, reporter) =>
        Array.from({ length: count }, (_, n) => formatReport(reporter, first + n * batch, batch)).reverse(),
      );
      const turn = await measureLoad({
        child,
        seconds,
        connections: runIds.length,
        expected: 200,
        next(reporter) {
          const first = sequences[reporter]!;
          sequences[reporter] = first + batch;
          return prepared[reporter]!.pop() ?? formatReport(reporter, first, batch);
        },
      });
      return { ...turn, rate: turn.rate * batch, cpu: turn.cpu / batch };
    },
  };
}
