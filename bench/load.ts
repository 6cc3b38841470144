import { connect, type Socket } from "node:net";
import { type Child, cpuMicroseconds, type Turn } from "./measure.ts";

export interface LoadTurn extends Turn {
  /** Answered requests. */
  requests: number;
  /** Of a hundred requests, the second slowest took so many milliseconds. */
  p99: number;
}

interface Load {
  /** The measured process. */
  child: Child;
  seconds: number;
  /** How many requests are sent at once, each on a connection of its own. */
  connections: number;
  /** Returns the next request of a connection. The socket does not copy it, so it must not change before the reply. */
  next(connection: number): Buffer;
  /** Any other reply fails the measurement. */
  expected: number;
}

/** The text of a request to `host`. */
export function formatRequest(
  host: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): string {
  const all = {
    host,
    ...headers,
    ...(body === "" && method === "GET" ? {} : { "content-length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/**
 * Sends requests as fast as they are answered. This process shares the cores with the measured process and the database,
 * so it uses plain sockets, which cost less than an HTTP client.
 */
export async function measureLoad({ child, seconds, connections, next, expected }: Load): Promise<LoadTurn> {
  const { hostname, port } = new URL(child.url);
  // New ones for every turn, because a server closes a connection that is idle for some seconds.
  const opened = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const times: number[] = [];
  const before = cpuMicroseconds(child);
  const started = performance.now();
  const until = started + seconds * 1000;
  try {
    await Promise.all(
      opened.map(
        ({ socket, onReply }, connection) =>
          new Promise<void>((resolve, reject) => {
            let sentAt = 0;
            const send = () => {
              sentAt = performance.now();
              if (sentAt >= until) return resolve();
              socket.write(next(connection));
            };
            onReply((status) => {
              if (status !== expected) return reject(new Error(`The server answered ${status}.`));
              times.push(performance.now() - sentAt);
              send();
            });
            socket.once("close", () => reject(new Error("The server closed the connection.")));
            send();
          }),
      ),
    );
  } finally {
    for (const { socket } of opened) socket.destroy();
  }
  const requests = times.length;
  const rate = requests / ((performance.now() - started) / 1000);
  const cpu = (cpuMicroseconds(child) - before) / requests;
  times.sort((a, b) => a - b);
  return { rate, cpu, requests, p99: times[Math.floor(requests * 0.99)]! };
}

interface OpenConnection {
  socket: Socket;
  /** Calls `answer` with the status of each whole reply. Only one request is sent at a time. */
  onReply(answer: (status: number) => void): void;
}

/** Replies are read into one buffer for each connection, which costs less than a stream with a buffer for each reply. */
async function open(hostname: string, port: number): Promise<OpenConnection> {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  let answer: (status: number) => void = () => undefined;
  let received = "";
  const read = (size: number) => {
    received += buffer.toString("latin1", 0, size);
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
    if (length === undefined ? !received.endsWith("0\r\n\r\n") : received.length < end + 4 + Number(length))
      return;
    const status = Number(received.slice(9, 12));
    received = "";
    answer(status);
  };
  const onread = {
    buffer,
    callback(size: number) {
      read(size);
      return true;
    },
  };
  const socket = connect({ port, host: hostname, noDelay: true, onread });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return {
    socket,
    onReply(next) {
      answer = next;
    },
  };
}

interface SameRequest {
  child: Child;
  path: string;
  seconds: number;
  headers?: Record<string, string>;
  method?: string;
  connections?: number;
}

/** Sends the same request again and again. Any reply but 200 fails the measurement. */
export function measureRequests({
  child,
  path,
  seconds,
  headers = {},
  method = "GET",
  connections = 32,
}: SameRequest): Promise<LoadTurn> {
  const request = Buffer.from(formatRequest(new URL(child.url).host, method, path, headers));
  return measureLoad({ child, seconds, connections, expected: 200, next: () => request });
}
