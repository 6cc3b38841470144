import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface RawReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends bytes that no HTTP client would send. A number is a pause in milliseconds. Returns every reply until
 * the server closes the connection, or until `waitMs` after the last part. `readsLast`: reads nothing before
 * everything is sent, as simple clients do.
 */
export async function sendRaw(
  url: string,
  parts: readonly (string | Buffer | number)[],
  { waitMs = 3_000, listensLast: readsLast = false } = {},
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
  // A server that has refused a request may close the connection while the rest is still being sent.
  socket.on("error", () => {});
  if (readsLast) socket.pause();
  for (const part of parts) {
    if (closed) break;
    if (typeof part === "number") await pause(part);
    else await new Promise((resolve) => socket.write(part, () => resolve(undefined)));
  }
  socket.resume();
  await Promise.race([ended, pause(waitMs)]);
  const wasClosed = closed;
  socket.destroy();
  return { replies: parseReplies(Buffer.concat(chunks)), closed: wasClosed };
}

function parseReplies(bytes: Buffer): RawReply[] {
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
    const status = Number(first.split(" ")[1]);
    const { body, length } =
      headers["transfer-encoding"] === "chunked"
        ? readChunks(rest.subarray(end + 4))
        : readLength(rest.subarray(end + 4), Number(headers["content-length"] ?? 0));
    replies.push({ status, headers, body });
    rest = rest.subarray(end + 4 + length);
  }
  return replies;
}

interface ParsedBody {
  body: string;
  /** The number of bytes on the connection. */
  length: number;
}

const readLength = (bytes: Buffer, length: number): ParsedBody => ({
  body: bytes.subarray(0, length).toString("utf8"),
  length,
});

/** A reply to HEAD announces chunks and has none: the next reply or the end follows at once. */
function readChunks(bytes: Buffer): ParsedBody {
  if (bytes.length === 0 || bytes.subarray(0, 5).toString("latin1") === "HTTP/")
    return { body: "", length: 0 };
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.subarray(at, end).toString("latin1"), 16);
    // The body was cut off, so it ends with the bytes that arrived.
    if (end < 0 || Number.isNaN(size))
      return { body: Buffer.concat(parts).toString("utf8"), length: bytes.length };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
    if (size === 0) return { body: Buffer.concat(parts).toString("utf8"), length: at };
  }
}
