import { connect, type Socket } from "node:net";
import { type Child, cpuMicroseconds, measureCalls, type Turn } from "./measure.ts";

/** A reporter: one run, one connection that is kept open, one request after the other. */
interface Reporter {
  runId: string;
  socket: Socket;
  sequence: number;
  answer: ((status: number) => void) | undefined;
}

export interface ReportTurn extends Turn {
  /** Of a hundred requests, the second slowest took so many milliseconds. */
  p99: number;
}

export interface Reporters {
  /** All of them report for so long, each so many events in a request. Rate and CPU are of events. */
  report(seconds: number, batch: number): Promise<ReportTurn>;
  close(): void;
}

const text = "The quick brown fox jumps over the lazy dog. ".repeat(4);
const event = (sequence: number) =>
  `{"attempt":1,"sequence":${sequence},"type":"assistant","payload":{"text":"${text}"},"createdAt":${Date.now()}}`;

/** `payload` as the events above carry it, for the peer. */
export const payload = `{"text":"${text}"}`;

/**
 * Writes requests by hand: what the measuring side costs is taken from the measured one, as both share
 * the machine.
 */
export async function openReporters(
  child: Child,
  headers: Record<string, string>,
  runIds: string[],
): Promise<Reporters> {
  const { hostname, port, host } = new URL(child.url);
  const head = Object.entries({ host, "content-type": "application/json", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const reporters = await Promise.all(
    runIds.map(async (runId) => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
      const reporter: Reporter = { runId, socket, sequence: 0, answer: undefined };
      let received = "";
      socket.setEncoding("latin1").on("data", (chunk: string) => {
        received += chunk;
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
        if (received.length < end + 4 + length) return;
        const status = Number(received.slice(9, 12));
        received = "";
        reporter.answer?.(status);
      });
      return reporter;
    }),
  );
  return {
    async report(seconds, batch) {
      const times: number[] = [];
      const before = cpuMicroseconds(child);
      const { rate } = await measureCalls(seconds, reporters.length, async (lane) => {
        const reporter = reporters[lane]!;
        const events = Array.from({ length: batch }, (_, i) => event(reporter.sequence + i));
        const body = batch === 1 ? events[0]! : `{"events":[${events.join(",")}]}`;
        const path = `/v1/automation-runs/${reporter.runId}/events${batch === 1 ? "" : "/batch"}`;
        const started = performance.now();
        const status = await new Promise<number>((resolve) => {
          reporter.answer = resolve;
          reporter.socket.write(
            `POST ${path} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
          );
        });
        if (status !== 200) throw new Error(`${path}: ${status}`);
        times.push(performance.now() - started);
        reporter.sequence += batch;
      });
      times.sort((a, b) => a - b);
      return {
        rate: rate * batch,
        cpu: (cpuMicroseconds(child) - before) / (times.length * batch),
        p99: times[Math.floor(times.length * 0.99)]!,
      };
    },
    close: () => {
      for (const { socket } of reporters) socket.destroy();
    },
  };
}
