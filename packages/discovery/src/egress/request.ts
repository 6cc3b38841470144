import type { ReadableStream } from "node:stream/web";
import type { Dispatcher } from "undici";
import { acceptEncoding, decodeBody, parseContentEncodings } from "./decode.ts";
import { dispatch, type RawReply } from "./dispatch.ts";
import { EgressError, toEgressError } from "./errors.ts";
import type { Guard } from "./policy.ts";
import type { EgressStream } from "./types.ts";

/** One exchange, as both `request` and `fetch` need it. */
export interface Exchange {
  url: string | URL;
  method: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  maxBytes: number;
  timeoutMs: number;
  /** Any of them ends the exchange. */
  signals: readonly AbortSignal[];
  redirects: number;
  /** What `redirects: 0` means: hand the 3xx back, or refuse it. */
  refuseRedirects?: boolean;
}

export interface OpenReply extends EgressStream {
  statusText: string;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Headers that say how this connection works; a caller who sets them could send a second request inside the first. */
const connectionHeaders =
  /^(host|connection|content-length|transfer-encoding|keep-alive|te|trailer|upgrade|expect|origin|via|proxy-.*)$/;
/** Names that carry a secret for the origin they were meant for. */
const secretHeaders = /auth|cookie|token|secret|key|session|signature|credential|password|dpop/;

export async function openExchange(
  dispatcher: () => Dispatcher,
  guard: Guard,
  exchange: Exchange,
): Promise<OpenReply> {
  let url = readUrl(exchange.url);
  const deadline = startDeadline(exchange, () => url);
  const redirectedFrom: string[] = [];
  let headers = requestHeaders(exchange.headers);

  try {
    for (;;) {
      if (deadline.error) throw deadline.error;
      guard.checkUrl(url);
      const reply = await send(dispatcher(), url, exchange, headers, deadline);
      const next = findRedirectTarget(reply, url, exchange, redirectedFrom.length);
      if (!next) return openReply(reply, url, exchange, redirectedFrom, deadline);

      reply.body.destroy();
      try {
        guard.checkUrl(next);
      } catch (error) {
        const { kind, message } = error as EgressError;
        throw new EgressError(
          kind === "invalid_url" ? "redirect_refused" : kind,
          `${url.host} redirected: ${message}`,
          {
            url,
            status: reply.status,
            target: next.origin,
          },
        );
      }
      guard.checkRedirect(url, next);
      if (next.origin !== url.origin) {
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.test(name)));
      }
      redirectedFrom.push(url.href);
      url = next;
    }
  } catch (error) {
    deadline.end();
    throw toEgressError(error, url);
  }
}

function readUrl(input: string | URL): URL {
  if (input instanceof URL && input.hash === "") return input;
  const url = URL.parse(String(input));
  if (!url) throw new EgressError("invalid_url", "The address is not a URL.");
  url.hash = "";
  return url;
}

function requestHeaders(given: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {
    accept: "*/*",
    "accept-encoding": acceptEncoding,
    "user-agent": "signalbox",
  };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!connectionHeaders.test(lower)) headers[lower] = value;
  }
  return headers;
}

interface Deadline {
  /** Set when the deadline has passed or the caller has given up. */
  error: EgressError | undefined;
  /** The request that is stopped when that happens. */
  sent: Pick<ReturnType<typeof dispatch>, "stop"> | undefined;
  end(): void;
}

/** One deadline for everything: name lookup, connection, redirects and the whole body. */
function startDeadline({ timeoutMs, signals }: Exchange, url: () => URL): Deadline {
  const stop = (error: EgressError) => {
    deadline.end();
    deadline.error = error;
    deadline.sent?.stop(error);
  };
  const onTimeout = () => {
    const seconds = Number((timeoutMs / 1000).toPrecision(3));
    const message = `${url().host} did not answer in full within ${seconds} s.`;
    stop(new EgressError("timeout", message, { url: url() }));
  };
  const onAbort = () =>
    stop(new EgressError("aborted", "The request was given up before it ended.", { url: url() }));
  const timer = setTimeout(onTimeout, Math.min(Math.max(timeoutMs, 0), 2 ** 31 - 1));
  const deadline: Deadline = {
    error: undefined,
    sent: undefined,
    end() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    },
  };
  // Not `AbortSignal.any`, which creates a signal for each exchange. `end` removes these listeners.
  if (signals.some(({ aborted }) => aborted)) onAbort();
  else for (const signal of signals) signal.addEventListener("abort", onAbort, { once: true });
  return deadline;
}

function send(
  dispatcher: Dispatcher,
  url: URL,
  exchange: Exchange,
  headers: Record<string, string>,
  deadline: Deadline,
): Promise<RawReply> {
  const sent = dispatch(dispatcher, {
    origin: url.origin,
    path: url.pathname + url.search,
    method: exchange.method as Dispatcher.HttpMethod,
    headers,
    body: (exchange.body ?? null) as Dispatcher.DispatchOptions["body"] & null,
  });
  deadline.sent = sent;
  return sent.answer;
}

/** Returns the target of a redirect, or undefined for any other reply. Throws when the redirect must not be followed. */
function findRedirectTarget(
  reply: RawReply,
  url: URL,
  exchange: Exchange,
  followed: number,
): URL | undefined {
  const location = reply.headers.location?.[0];
  if (!redirectStatuses.has(reply.status) || location === undefined) return undefined;
  if (exchange.redirects === 0 && !exchange.refuseRedirects) return undefined;
  const target = URL.parse(location, url.href) ?? undefined;
  if (target) target.hash = "";
  const details = {
    url,
    status: reply.status,
    target: target && target.origin !== "null" ? target.origin : undefined,
  };
  const refuse = (why: string) => {
    reply.body.destroy();
    return new EgressError(
      "redirect_refused",
      `${url.host} answered with a redirect (${reply.status}) ${why}.`,
      details,
    );
  };
  if (exchange.refuseRedirects) throw refuse("where none is followed");
  if (!target) throw refuse("to something that is not an address");
  const idempotent = exchange.method === "GET" || exchange.method === "HEAD";
  if (!idempotent && reply.status < 307) throw refuse(`that would turn ${exchange.method} into GET`);
  if (exchange.body && !(exchange.body instanceof Uint8Array))
    throw refuse("after the body was already sent");
  if (url.protocol === "https:" && target.protocol !== "https:")
    throw refuse("from https to an unprotected address");
  if (followed >= exchange.redirects) {
    reply.body.destroy();
    throw new EgressError(
      "too_many_redirects",
      `${url.host} redirected more than ${exchange.redirects} times.`,
      details,
    );
  }
  return target;
}

function openReply(
  reply: RawReply,
  url: URL,
  exchange: Exchange,
  redirectedFrom: string[],
  deadline: Deadline,
): OpenReply {
  const { maxBytes } = exchange;
  const { status, statusText, headers, body } = reply;
  const tooLarge = () =>
    new EgressError("too_large", `${url.host} sent more than the ${maxBytes} bytes that are accepted.`, {
      url,
      status,
    });
  const close = () => {
    deadline.end();
    body.destroy();
  };
  const empty = exchange.method === "HEAD" || status === 204 || status === 205 || status === 304;

  try {
    const layers = empty ? [] : parseContentEncodings(headers["content-encoding"] ?? [], url.host);
    if (!empty && layers.length === 0 && Number(headers["content-length"]?.[0] ?? 0) > maxBytes)
      throw tooLarge();
    const chunks = layers.length > 0 ? readDecoded(layers) : readPlain();
    return { url: url.href, status, statusText, headers, redirectedFrom, chunks, close };
  } catch (error) {
    close();
    throw error;
  }

  async function* readDecoded(layers: readonly string[]): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of decodeBody(body, layers, maxBytes, tooLarge)) yield chunk;
    } catch (error) {
      throw toEgressError(deadline.error ?? error, url);
    } finally {
      close();
    }
  }

  /** An iterator written by hand: a generator takes several times as long for small bodies, and most bodies are small. */
  function readPlain(): AsyncIterableIterator<Uint8Array> {
    let total = 0;
    let isOver = false;
    const end = (): IteratorResult<Uint8Array> => {
      isOver = true;
      close();
      return { value: undefined, done: true };
    };
    return {
      async next() {
        if (isOver) return { value: undefined, done: true };
        try {
          for (;;) {
            const chunk = await body.next();
            if (chunk.done) return end();
            total += chunk.value.byteLength;
            if (total > maxBytes) throw tooLarge();
            if (chunk.value.byteLength > 0) return chunk;
          }
        } catch (error) {
          end();
          throw toEgressError(deadline.error ?? error, url);
        }
      },
      return: async () => end(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
}
