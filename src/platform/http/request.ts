import type { Exchange } from "./exchange.ts";

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
  exchange: Exchange;
}

/** A request as it is read from the connection. */
export interface RequestHead {
  method: string;
  target: string;
  headers: HttpHeaders;
}

/** Returns undefined when the target or the host is invalid. */
export function parseRequest(
  { method, target, headers }: RequestHead,
  exchange: Exchange,
): HttpRequest | undefined {
  const parsed = parseTarget(target, headers.host);
  if (parsed === undefined || !isHost(headers.host)) return undefined;
  const mark = parsed.indexOf("?");
  return {
    method,
    path: mark < 0 ? parsed : parsed.slice(0, mark),
    search: mark < 0 ? "" : parsed.slice(mark + 1),
    params: {},
    headers,
    exchange,
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
