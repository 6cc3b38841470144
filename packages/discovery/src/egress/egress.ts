import { createRequire } from "node:module";
import { createAgents } from "./agents.ts";
import { createGuardedConnector } from "./connector.ts";
import { createResolver, type Resolve } from "./dns/index.ts";
import type { EgressError } from "./errors.ts";
import { createFetch } from "./fetch.ts";
import { createGuard, type Guard, isLoopbackHost } from "./policy.ts";
import { type Exchange, openExchange } from "./request.ts";
import type { Egress, EgressGateway, EgressPolicy, EgressRequest, FetchLimits } from "./types.ts";

export interface EgressOptions {
  /** Decoded bytes that `fetch` accepts. Default 1 MiB. */
  fetchMaxBytes?: number;
  /** The deadline of `fetch`, body included. Default 15 000. */
  fetchTimeoutMs?: number;
  /** PEM certificates to trust besides the system's own. */
  ca?: readonly string[];
  /** Resolves names. By default the hosts file and DNS, shared fairly between organizations. */
  lookup?: Resolve;
}

export interface GuardedEgress extends Egress, EgressGateway {
  /** The same guard and connections, with other limits for `fetch`. */
  withLimits(limits: Partial<FetchLimits>): Egress;
}

const defaultMaxBytes = 1024 * 1024;
const defaultTimeoutMs = 15_000;
const maxRedirects = 3;
const maxHeaderBytes = 32 * 1024;
const connectTimeoutMs = 10_000;

/** Loads the HTTP client with the first request: it has 109 modules, and many programs start without a request. */
const require = createRequire(import.meta.url);
const loadClient = () => require("undici") as typeof import("undici");

/** Throws when an entry of `policy.allow` cannot be read. */
export function createEgress(policy: EgressPolicy, options: EgressOptions = {}): GuardedEgress {
  const guard = createGuard(policy);
  // The loopback rule depends only on the URL, so this guard is needed only before connecting.
  const guardWithoutLoopback = policy.allowLoopback
    ? createGuard({ ...policy, allowLoopback: false })
    : guard;
  const resolve = options.lookup ?? createResolver();
  const agents = createAgents(
    (share) =>
      new (loadClient().Agent)({
        connect: createGuardedConnector(guard, {
          resolve,
          share,
          ca: options.ca,
          connectTimeoutMs: connectTimeoutMs,
        }),
        // Every server with HTTP/2 also supports HTTP/1.1, so one protocol is enough.
        allowH2: false,
        pipelining: 1,
        maxHeaderSize: maxHeaderBytes,
        // The exchange has one deadline; timers that start again with each byte would add nothing.
        headersTimeout: 0,
        bodyTimeout: 0,
        // Short, whatever the server proposes, because the address of an open connection is not checked again.
        keepAliveTimeout: 4_000,
        keepAliveMaxTimeout: 4_000,
      }),
  );

  const limits: FetchLimits = {
    maxBytes: options.fetchMaxBytes ?? defaultMaxBytes,
    timeoutMs: options.fetchTimeoutMs ?? defaultTimeoutMs,
  };

  function createForShare(guard: Guard, share: string): GuardedEgress {
    const open = (exchange: Exchange) => openExchange(() => agents.get(share), guard, exchange);
    const egress: Egress = {
      async request(url, request = {}) {
        const { chunks, ...head } = await open(toExchange(url, request));
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks) parts.push(chunk);
        const body = Buffer.concat(parts);
        return {
          url: head.url,
          status: head.status,
          headers: head.headers,
          redirectedFrom: head.redirectedFrom,
          body,
          text: () => new TextDecoder().decode(body),
        };
      },
      open: (url, request = {}) => open(toExchange(url, request)),
      fetch: createFetch(open, limits, maxRedirects),
      forAddressFrom: (url) =>
        isLoopbackHost(URL.parse(String(url))?.hostname ?? "")
          ? egress
          : createForShare(guardWithoutLoopback, share),
      refusal: (url) => describeRefusal(guard, url),
      close: agents.close,
    };
    return {
      ...egress,
      forOrganization: (orgId) => createForShare(guard, orgId),
      withLimits: (other) => ({ ...egress, fetch: createFetch(open, { ...limits, ...other }, maxRedirects) }),
    };
  }
  return createForShare(guard, "");
}

function describeRefusal(guard: Guard, url: string | URL): string | undefined {
  const parsed = URL.parse(String(url));
  if (!parsed) return "The address is not a URL.";
  try {
    guard.checkUrl(parsed);
    return undefined;
  } catch (error) {
    return (error as EgressError).message;
  }
}

function toExchange(url: string | URL, request: EgressRequest): Exchange {
  const { method = "GET", headers = {}, body, signal } = request;
  return {
    url,
    method,
    headers,
    body: typeof body === "string" ? Buffer.from(body) : body,
    maxBytes: request.maxBytes ?? defaultMaxBytes,
    timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
    signals: signal === undefined ? [] : signal instanceof AbortSignal ? [signal] : signal,
    redirects: request.redirects ?? maxRedirects,
  };
}
