import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface RawReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Bytes on a socket, for what no HTTP client would send. A number is a pause in milliseconds. Gives every
 * reply that came until the server closed, or until `waitMs` after the last part. `listensLast`: reads
 * nothing before everything is said, as simple clients do.
 */
export async function speak(
  url: string,
  parts: readonly (string | Buffer | number)[],
  { waitMs = 3_000, listensLast = false } = {},
): Promise<{ replies: RawReply[]; closed: boolean }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  let closed = false;
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => {
      closed = true;
      resolve();
    });
  });
  socket.on("data", (chunk) => chunks.push(chunk));
  // A server that has said no may stop listening while we are still talking.
  socket.on("error", () => {});
  if (listensLast) socket.pause();
  for (const part of parts) {
    if (closed) break;
    if (typeof part === "number") await pause(part);
    else await new Promise((resolve) => socket.write(part, () => resolve(undefined)));
  }
  socket.resume();
  await Promise.race([ended, pause(waitMs)]);
  const wasClosed = closed;
  socket.destroy();
  return { replies: parse(Buffer.concat(chunks)), closed: wasClosed };
}

function parse(bytes: Buffer): RawReply[] {
  const replies: RawReply[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) throw new Error(`This is not a reply: ${rest.toString("latin1").slice(0, 200)}`);
    const [first = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    const length = Number(headers["content-length"] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length).toString("utf8");
    replies.push({ status: Number(first.split(" ")[1]), headers, body });
    rest = rest.subarray(end + 4 + length);
  }
  return replies;
}
