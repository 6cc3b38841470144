import { computeWaitMs, parseRetryAfter } from "@signalbox/flow-control";
import { createBackoff } from "./backoff.ts";
import { RefusedError, toUnreachable, UnreachableError } from "./errors.ts";

/** The credential that is sent with each request. A browser that is signed in with a cookie needs none. */
export type Credential = { apiKey: string } | { sessionToken: string };

export interface HttpOptions {
  /** The origin of the server. */
  url: string;
  credential?: Credential | undefined;
  userAgent?: string;
  /** Ends all requests. */
  signal?: AbortSignal;
  /** Time limit for one try of a request, from connecting to the last byte of the reply. */
  timeoutMs?: number;
  /** A longer reply is an error. No expected reply is that long. */
  maxReplyBytes?: number;
  /** How often a request is sent at most. Only requests that can be repeated are sent again. */
  maxTries?: number;
}

export type Query = Record<string, string | number | boolean | undefined>;

export interface HttpRequest {
  method?: string;
  path: string;
  query?: Query | undefined;
  headers?: Record<string, string>;
  body?: unknown;
  /** A body that is JSON text already. */
  encodedBody?: string;
  /** Lets a POST be repeated, because the server executes it once per key. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

export interface Http {
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Returns the JSON of a successful reply. Undefined when the reply has no body. */
  request(request: HttpRequest): Promise<Record<string, unknown> | undefined>;
  /** Returns a successful reply. The caller reads its body. */
  open(request: HttpRequest): Promise<Response>;
}

const repeatableMethods = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const temporaryStatuses = new Set([429, 502, 503, 504]);
/** When `Retry-After` is longer than this, the request fails instead of waiting without a message. */
const longestWaitMs = 5_000;

export function createHttp({
  url,
  credential,
  userAgent,
  signal,
  timeoutMs = 30_000,
  maxReplyBytes = 32 * 1024 * 1024,
  maxTries = 4,
}: HttpOptions): Http {
  const identity: Record<string, string> = !credential
    ? {}
    : "apiKey" in credential
      ? { "x-api-key": credential.apiKey }
      : { authorization: `Bearer ${credential.sessionToken}` };

  async function send(request: HttpRequest, until: AbortSignal): Promise<Response> {
    const target = new URL(request.path, url);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    // The path must not send the credential to another server.
    if (target.origin !== url) throw new Error(`${request.path} is not a path of ${url}.`);
    const body = request.encodedBody ?? (request.body === undefined ? null : JSON.stringify(request.body));
    return fetch(target, {
      method: request.method ?? "GET",
      headers: {
        ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
        ...identity,
        ...(body === null ? {} : { "content-type": "application/json" }),
        ...(request.idempotencyKey === undefined ? {} : { "idempotency-key": request.idempotencyKey }),
        ...request.headers,
      },
      body,
      redirect: "manual",
      signal: until,
    });
  }

  async function tryOnce(request: HttpRequest, abort: AbortSignal | undefined) {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? timeoutMs);
    const until = abort ? AbortSignal.any([timeout, abort]) : timeout;
    try {
      const response = await send(request, until);
      return readReply(url, response, await readText(response, maxReplyBytes));
    } catch (error) {
      throw toUnreachable(url, error);
    }
  }

  return {
    url,
    signal,
    async request(request) {
      const abort = combineSignals(signal, request.signal);
      const isRepeatable =
        request.idempotencyKey !== undefined || repeatableMethods.has(request.method ?? "GET");
      const backoff = createBackoff({ fromMs: 200 });
      for (let tries = 1; ; tries++) {
        try {
          return await tryOnce(request, abort);
        } catch (error) {
          if (!isRepeatable || tries >= maxTries || abort?.aborted || !mayHelpToRepeat(error)) throw error;
          await backoff.wait(abort, error.retryAfterMs);
        }
      }
    },
    async open(request) {
      const abort = combineSignals(signal, request.signal);
      // The time limit applies until the reply begins. The caller limits the time for the body.
      const beginning = new AbortController();
      const timer = setTimeout(
        () => beginning.abort(new DOMException("No answer.", "TimeoutError")),
        request.timeoutMs ?? timeoutMs,
      );
      try {
        const until = abort ? AbortSignal.any([beginning.signal, abort]) : beginning.signal;
        const response = await send(request, until);
        if (!response.ok) readReply(url, response, await readText(response, maxReplyBytes));
        return response;
      } catch (error) {
        throw toUnreachable(url, error);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

export const combineSignals = (one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other);

function mayHelpToRepeat(error: unknown): error is UnreachableError | RefusedError {
  if (error instanceof UnreachableError) return (error.retryAfterMs ?? 0) <= longestWaitMs;
  if (!(error instanceof RefusedError) || !temporaryStatuses.has(error.status)) return false;
  return (error.retryAfterMs ?? 0) <= longestWaitMs;
}

/** Reads the body of a reply. Fails beyond `maxBytes`, so that a reply cannot fill the memory. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of readChunks(response.body)) {
    size += chunk.length;
    if (size > maxBytes) {
      const { status } = response;
      const reason = `the reply is longer than ${maxBytes} bytes`;
      throw new UnreachableError(response.url, reason, { code: "reply_too_long", status });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Yields the chunks of a body. Not every browser can iterate over a stream itself. */
export async function* readChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function readReply(url: string, response: Response, text: string): Record<string, unknown> | undefined {
  const { status, headers } = response;
  const requestId = headers.get("x-request-id") ?? undefined;
  const retryAfter = parseRetryAfter(headers.get("retry-after"));
  const retryAfterMs = retryAfter && computeWaitMs(retryAfter, Date.now());
  // A browser hides the target of a redirect.
  if ((status >= 300 && status < 400) || response.type === "opaqueredirect") {
    const location = headers.get("location") ?? "";
    const to = URL.canParse(location, url) ? new URL(location, url).origin : "another address";
    throw new UnreachableError(url, `it redirects to ${to}`, { code: "redirect", status, location });
  }
  if (response.ok && text === "") return undefined;
  const body = parseObject(text);
  if (!body) {
    const reason = `HTTP ${status} with a reply that is not from Signalbox`;
    throw new UnreachableError(url, reason, { code: "foreign_reply", status, retryAfterMs });
  }
  if (!response.ok) throw new RefusedError(status, body, { requestId, retryAfterMs });
  return body;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
