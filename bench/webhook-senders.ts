import { createHmac, randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { type Child, cpuMicroseconds, measureCalls, type Turn } from "./measure.ts";

export const webhookSecret = "a secret for the benchmarks alone";
export const buildRepositoryName = (lane: number) => `bench/playbook-${lane}`;

/** The body of a push from GitHub with 8 kB, split at the commit id of the head. */
function buildPushParts(lane: number): [before: string, after: string] {
  const repository = {
    id: lane,
    full_name: buildRepositoryName(lane),
    private: true,
    owner: { login: "bench" },
  };
  const commits = Array.from({ length: 6 }, (_, n) => ({
    id: randomBytes(20).toString("hex"),
    tree_id: randomBytes(20).toString("hex"),
    message: `Change number ${n}: the quick brown fox jumps over the lazy dog`,
    timestamp: "2026-11-15T12:00:00+01:00",
    author: { name: "Ada Lovelace", email: "ada@example.com", username: "ada" },
    committer: { name: "Ada Lovelace", email: "ada@example.com", username: "ada" },
    added: [],
    removed: [],
    modified: Array.from(
      { length: 12 },
      (_, file) => `templates/area-${n}/playbook-${file}-${randomBytes(3).toString("hex")}.md`,
    ),
  }));
  const body = { ref: "refs/heads/main", before: "0".repeat(40), after: "HEAD", repository, commits };
  const pad = "x".repeat(Math.max(0, 8192 - 36 - 13 - JSON.stringify(body).length));
  const [before, after] = JSON.stringify({ ...body, padding: pad }).split("HEAD") as [string, string];
  return [before, after];
}

export interface WebhookSenders {
  /** Sends pushes with new heads for `seconds`, on all connections. `bad`: signed with another secret. */
  push(seconds: number, bad?: boolean): Promise<Turn & { p99: number }>;
}

interface Lane {
  parts: [string, string];
  /** Signed before the measurement, because both processes share the machine. */
  ready: { head: string; signature: string }[];
}

interface SenderConnection {
  socket: Socket;
  answer: ((status: number) => void) | undefined;
}

/** Makes every delivery id of this process unique. */
let deliveryCount = 0;

/** Writes requests directly to sockets, because the measured processes share the machine with this one. */
export function createWebhookSenders(
  child: Child,
  laneCount: number,
  accepted: number,
  refused: number,
): WebhookSenders {
  const { hostname, port, host } = new URL(child.url);
  const lanes = Array.from({ length: laneCount }, (_, n): Lane => ({ parts: buildPushParts(n), ready: [] }));
  const sign = ({ parts }: Lane, bad: boolean) => {
    const head = randomBytes(20).toString("hex");
    const signature = createHmac("sha256", bad ? "another secret altogether" : webhookSecret)
      .update(parts[0] + head + parts[1])
      .digest("hex");
    return { head, signature };
  };
  return {
    async push(seconds, bad = false) {
      const perLane = Math.ceil((16_000 * seconds) / laneCount);
      for (const lane of lanes) lane.ready = Array.from({ length: perLane }, () => sign(lane, bad));
      // Opened after signing, and again for every turn: the server closes a connection that is idle for ten seconds.
      const connections = await Promise.all(lanes.map(() => openConnection(hostname, Number(port))));
      const times: number[] = [];
      const before = cpuMicroseconds(child);
      const { rate } = await measureCalls(seconds, laneCount, async (n) => {
        const lane = lanes[n]!;
        const connection = connections[n]!;
        const { head, signature } = lane.ready.pop() ?? sign(lane, bad);
        const body = lane.parts[0] + head + lane.parts[1];
        if (connection.socket.destroyed) throw new Error("The server closed the connection.");
        const started = performance.now();
        const status = await new Promise<number>((resolve) => {
          connection.answer = resolve;
          connection.socket.write(
            `POST /v1/webhooks/connectors/codehost HTTP/1.1\r\nhost: ${host}\r\nuser-agent: GitHub-Hookshot/044aadd\r\n` +
              `accept: */*\r\ncontent-type: application/json\r\nx-github-event: push\r\nx-github-hook-id: 292430182\r\n` +
              `x-github-delivery: ${process.pid}-${++deliveryCount}\r\nx-hub-signature-256: sha256=${signature}\r\n` +
              `content-length: ${body.length}\r\n\r\n${body}`,
            // The text is ASCII. Node need not check that when the encoding is latin1.
            "latin1",
          );
        });
        if (status !== (bad ? refused : accepted)) throw new Error(`The server answered ${status}.`);
        times.push(performance.now() - started);
      });
      const cpu = (cpuMicroseconds(child) - before) / times.length;
      for (const { socket } of connections) socket.destroy();
      times.sort((a, b) => a - b);
      return { rate, cpu, p99: times[Math.floor(times.length * 0.99)]! };
    },
  };
}

async function openConnection(hostname: string, port: number): Promise<SenderConnection> {
  const socket = connect(port, hostname);
  socket.setNoDelay(true);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const connection: SenderConnection = { socket, answer: undefined };
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    received += chunk;
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
    if (length === undefined ? !received.endsWith("0\r\n\r\n") : received.length < end + 4 + Number(length))
      return;
    const status = Number(received.slice(9, 12));
    received = "";
    connection.answer?.(status);
  });
  socket.on("close", () => connection.answer?.(0));
  return connection;
}
