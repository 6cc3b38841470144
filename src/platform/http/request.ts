import type { IncomingMessage, ServerResponse } from "node:http";

/** By name in lower case; one that came several times is one value, separated by commas. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;

/** A request as it came, with its target taken apart. */
export interface HttpRequest {
  method: string;
  path: string;
  /** What stands behind the question mark. */
  search: string;
  /** What stands where its route has braces, once it is known which that is. */
  params: Readonly<Record<string, string>>;
  headers: HttpHeaders;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** Undefined where the target or the host makes no sense: then it is no request. */
export function parseRequest(incoming: IncomingMessage, outgoing: ServerResponse): HttpRequest | undefined {
  // A cookie, which a reply may set several times, is the only one that is not text, and no request's.
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

/** What nearly all targets consist of: nothing in it is written in another way, and it goes nowhere up. */
const plainTarget = /^\/[!$&-;=?-Z_a-z~]*$/;
const step = /\/\.\.?(?:[/?]|$)/;

function parseTarget(target: string, host: string | undefined): string | undefined {
  if (plainTarget.test(target) && !step.test(target)) return target;
  const whole = target.startsWith("/") ? `http://host${target}` : target;
  // A backslash would become a slash, and the path another one than a proxy before us took it for.
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
  // Whatever else was written into it, it is more than a host.
  return url?.pathname === "/" && [url.host, `${url.hostname}:80`].includes(host.toLowerCase());
}

/** Returns a signal that aborts when the caller disconnects before the whole reply is sent. */
export function whenCallerLeaves({ outgoing }: Pick<HttpRequest, "outgoing">): AbortSignal {
  const left = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) left.abort();
  });
  if (outgoing.destroyed) left.abort();
  return left.signal;
}

/** How much of a body that nobody wants is read, and for how long, before the connection is closed. */
const maxDiscardedBytes = 64 * 1024 * 1024;
const maxDiscardMs = 500;

/**
 * Reads on and forgets what it reads. Many clients only listen once they have said everything: closing the
 * connection under them would take the reply along.
 */
export function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  let left = maxDiscardedBytes;
  const cut = () => incoming.socket.destroySoon();
  const timer = setTimeout(cut, maxDiscardMs);
  incoming
    .on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) cut();
    })
    .on("error", () => {})
    .once("close", () => clearTimeout(timer))
    .once("end", () => clearTimeout(timer));
  incoming.resume();
}
