import type { RequestHead } from "./request.ts";

/**
 * The form of nearly all requests: a plain target, and lines of printable ASCII. A request of any other form is left to
 * Node, valid or not, so every request that has this form must mean the same to Node.
 */
const form = /^(?:GET|POST|PUT|PATCH|DELETE) \/[!$-;=?-Z_a-z~]* HTTP\/1\.1\r\n(?:[A-Za-z\d-]+:[ -~]*\r\n)+$/;
const maxHeadBytes = 8 * 1024;

/** Headers that change how the rest of the connection is read. */
const connectionHeaders = ["transfer-encoding", "expect", "upgrade", "proxy-connection"] as const;

export interface WholeRequest extends RequestHead {
  body: Buffer;
}

/** Reads bytes that are exactly one request. Returns undefined when they are anything else. */
export function parseWholeRequest(bytes: Buffer): WholeRequest | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0 || end > maxHeadBytes) return undefined;
  const head = bytes.toString("latin1", 0, end + 2);
  if (!form.test(head)) return undefined;
  const headers = parseHeaders(head, head.indexOf("\r\n") + 2);
  if (!headers) return undefined;
  for (const name of connectionHeaders) if (headers[name] !== undefined) return undefined;
  const { connection } = headers;
  if (connection !== undefined && connection.toLowerCase() !== "keep-alive") return undefined;
  const length = headers["content-length"] ?? "0";
  if (!/^\d{1,9}$/.test(length) || bytes.length !== end + 4 + Number(length)) return undefined;
  const methodEnd = head.indexOf(" ");
  return {
    method: head.slice(0, methodEnd),
    target: head.slice(methodEnd + 1, head.indexOf(" ", methodEnd + 1)),
    headers,
    body: bytes.subarray(end + 4),
  };
}

/** Returns undefined when a header is there twice. */
function parseHeaders(head: string, start: number): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (let at = start; at < head.length; ) {
    const colon = head.indexOf(":", at);
    const end = head.indexOf("\r\n", colon);
    const name = head.slice(at, colon).toLowerCase();
    if (headers[name] !== undefined) return undefined;
    headers[name] = head.slice(colon + 1, end).trim();
    at = end + 2;
  }
  return headers;
}
