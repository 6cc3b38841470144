import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { RefusedError, reasonOf, UnreachableError } from "./errors.ts";

/** The credential that is sent with each request. */
export type Credential = { apiKey: string } | { sessionToken: string };

export interface HttpOptions {
  /** The origin of the server. */
  url: string;
  credential?: Credential | undefined;
  userAgent?: string;
  signal?: AbortSignal;
  /** Time limit for one attempt of a request, from connecting to the last byte of the reply. */
  timeoutMs?: number;
  /** A longer reply is an error. No expected reply is that long. */
  maxReplyBytes?: number;
}

export type Query = Record<string, string | number | undefined>;

export interface Request {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  query?: Query;
  body?: unknown;
  /** Creates something. It is sent with an `Idempotency-Key`, so a retry does not create it twice. */
  creates?: boolean;
}

export interface Http {
  /** Returns the JSON of a successful reply. Undefined when the reply has no body. */
  request(request: Request): Promise<unknown>;
  /** Returns a successful reply. The caller reads its body. */
  open(request: Request, headers: Record<string, string>, signal?: AbortSignal): Promise<Response>;
}

const maxTries = 4;
const firstDelayMs = 200;
/** When `Retry-After` is longer than this, the request fails instead of waiting without a message. */
const longestWaitSeconds = 5;

export function createHttp({
  url,
  credential,
  userAgent = "signalbox-client",
  signal,
  timeoutMs = 30_000,
  maxReplyBytes = 32 * 1024 * 1024,
}: HttpOptions): Http {
  const identity: Record<string, string> = !credential
    ? {}
    : "apiKey" in credential
      ? { "x-api-key": credential.apiKey }
      : { authorization: `Bearer ${credential.sessionToken}` };

  async function send(request: Request, headers: Record<string, string>, until: AbortSignal) {
    const target = new URL(request.path, url);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    // The path must not send the credential to another server.
    if (target.origin !== url) throw new Error(`${request.path} is not a path of ${url}.`);
    const hasBody = request.body !== undefined;
    return fetch(target, {
      method: request.method ?? "GET",
      headers: {
        "user-agent": userAgent,
        ...identity,
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      body: hasBody ? JSON.stringify(request.body) : null,
      redirect: "manual",
      signal: until,
    });
  }

  async function tryOnce(request: Request, headers: Record<string, string>): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const until = signal ? AbortSignal.any([timeout, signal]) : timeout;
    let response: Response;
    let text: string;
    try {
      response = await send(request, headers, until);
      text = await readText(response, maxReplyBytes);
    } catch (error) {
      throw error instanceof UnreachableError
        ? error
        : new UnreachableError(url, reasonOf(error), { cause: error });
    }
    return judge(url, response, text);
  }

  return {
    async request(request) {
      const { method = "GET", creates = false } = request;
      const headers: Record<string, string> = creates ? { "idempotency-key": randomUUID() } : {};
      const repeatable = creates || method === "GET" || method === "PUT" || method === "DELETE";
      for (let attempt = 1; ; attempt++) {
        try {
          return await tryOnce(request, headers);
        } catch (error) {
          const delay = repeatable && attempt < maxTries && !signal?.aborted && delayBefore(error, attempt);
          if (!delay) throw error;
          await sleep(delay, undefined, signal ? { signal } : {});
        }
      }
    },
    async open(request, headers, until = signal) {
      // The time limit applies until the reply begins. The caller limits the time for the body.
      const beginning = new AbortController();
      const timer = setTimeout(
        () => beginning.abort(new DOMException("No answer.", "TimeoutError")),
        timeoutMs,
      );
      try {
        const response = await send(
          request,
          headers,
          until ? AbortSignal.any([beginning.signal, until]) : beginning.signal,
        );
        if (!response.ok) judge(url, response, await readText(response, maxReplyBytes));
        return response;
      } catch (error) {
        if (error instanceof RefusedError || error instanceof UnreachableError) throw error;
        throw new UnreachableError(url, reasonOf(error), { cause: error });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Milliseconds to wait before the next attempt. Undefined when another attempt would not help. */
function delayBefore(error: unknown, attempt: number): number | undefined {
  const delay = firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  if (error instanceof UnreachableError) return delay;
  if (!(error instanceof RefusedError) || ![429, 502, 503, 504].includes(error.status)) return undefined;
  const asked = error.retryAfter ?? 0;
  return asked > longestWaitSeconds ? undefined : Math.max(delay, asked * 1000);
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new UnreachableError(response.url, `the reply is longer than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function judge(url: string, response: Response, text: string): unknown {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const location = headers.get("location") ?? "";
    const to = URL.canParse(location, url) ? new URL(location, url).origin : "another address";
    throw new UnreachableError(url, `it redirects to ${to}`);
  }
  if (response.ok && text === "") return undefined;
  const body = parseObject(text);
  if (!body) throw new UnreachableError(url, `HTTP ${status} with a reply that is not from Signalbox`);
  if (!response.ok) {
    const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
    throw new RefusedError(status, body, Number.isFinite(retryAfter) ? retryAfter : undefined);
  }
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
