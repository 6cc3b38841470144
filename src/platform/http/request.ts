import type { IncomingMessage, ServerResponse } from "node:http";

/** Headers by name in lower case. Repeated headers are joined with commas. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;

/** A request with its target split into path and query. */
export interface HttpRequest {
  method: string;
  path: string;
  /** The text after the question mark. */
  search: string;
  /** The values of the route's parameters. Empty until the route is known. */
  params: Readonly<Record<string, string>>;
  headers: HttpHeaders;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** Returns undefined when the target or the host is invalid. */
export function parseRequest(incoming: IncomingMessage, outgoing: ServerResponse): HttpRequest | undefined {
  // Only `set-cookie` is not a string, and requests do not have it.
  const headers = incoming.headers as HttpHeaders;
  const target = parseTarget(incoming.url!, headers.host);
  if (target === undefined || !isHost(headers.host)) return undefined;
  const mark = target.indexOf("?");
  return {
    method: incoming.method!,
    path: mark < 0 ? target : target.slice(0, mark),
    search: mark < 0 ? "" : target.slice(mark + 1),
    params: {},
    headers,
    incoming,
    outgoing,
  };
}

/** Matches nearly all targets. They have no escapes and no `..`, so they need no parsing. */
const plainTarget = /^\/[!$&-;=?-Z_a-z~]*$/;
const step = /\/\.\.?(?:[/?]|$)/;

function parseTarget(target: string, host: string | undefined): string | undefined {
  if (plainTarget.test(target) && !step.test(target)) return target;
  const whole = target.startsWith("/") ? `http://host${target}` : target;
  // A backslash would become a slash, so the path would differ from the path that a proxy checked.
  if (!/^https?:\/\//i.test(whole) || /^[^?]*\\/.test(target)) return undefined;
  const url = URL.parse(whole);
  if (!url) return undefined;
  // An absolute target names a host too. Two different hosts are ambiguous.
  if (whole === target && url.host !== URL.parse(`${url.protocol}//${host}`)?.host) return undefined;
  return url.pathname + url.search;
}

const plainHost = /^[a-z0-9._-]+(?::(?:\d{1,4}|[1-5]\d{4}))?$/;

function isHost(host: string | undefined): boolean {
  if (host === undefined) return false;
  if (plainHost.test(host)) return true;
  const url = URL.parse(`http://${host}`);
  // The text contains more than a host.
  return url?.pathname === "/" && [url.host, `${url.hostname}:80`].includes(host.toLowerCase());
}

/** Returns a signal that aborts when the caller disconnects before the whole reply is sent, or when `left` does. */
export function whenCallerLeaves(
  { outgoing }: Pick<HttpRequest, "outgoing">,
  left = new AbortController(),
): AbortSignal {
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) left.abort();
  });
  if (outgoing.destroyed) left.abort();
  return left.signal;
}

/** Limits for reading an unwanted body: in bytes, in time, and in time without a byte. Then the connection is closed. */
const maxDiscardedBytes = 64 * 1024 * 1024;
const maxDiscardMs = 5_000;
const maxPauseMs = 500;

/**
 * Reads and discards the rest of the body. Many clients read the reply only after they have sent everything, and would
 * lose it if the connection were closed early.
 */
export function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const { socket } = incoming;
  const startedAt = performance.now();
  const readBefore = socket.bytesRead;
  let read = readBefore;
  let readAt = startedAt;
  // Node emits no data of a request that was answered, so the bytes are counted at the socket.
  const timer = setInterval(() => {
    const now = performance.now();
    if (socket.bytesRead !== read) readAt = now;
    read = socket.bytesRead;
    if (
      now - readAt >= maxPauseMs ||
      now - startedAt >= maxDiscardMs ||
      read - readBefore > maxDiscardedBytes
    ) {
      clearInterval(timer);
      socket.destroySoon();
    }
  }, 100);
  const stop = () => clearInterval(timer);
  incoming
    .on("error", () => {})
    .once("close", stop)
    .once("end", stop);
  incoming.resume();
}
