import { readChallenges } from "@signalbox/discovery";
import { type Egress, EgressError, type EgressStream } from "@signalbox/discovery/egress";
import { UpstreamError } from "./errors.ts";
import { maxQuestions } from "./limits.ts";
import { findOperation, type Operation } from "./operation.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface FetchOptions {
  egress: Egress;
  /** Aborts when the session is closed. */
  closed: AbortSignal;
  /** Whether the session listens for messages that belong to no request. */
  listens: boolean;
  /** Called when the server no longer knows the session. */
  onSessionLost(): void;
}

/** For messages beside an operation: notifications, answers to the server, the end of a session. */
const shortLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 };
/** For streams that stay open while a session lives. */
const listenLimits = { timeoutMs: 15 * 60_000, maxBytes: 1024 * 1024 };

/**
 * The `fetch` of the client library. It applies the guard, the deadline and the size limit of the operation that sends
 * the request. It follows no redirect, because requests carry credentials, and throws an UpstreamError for every reply
 * that the library would interpret in its own way: challenges, redirects and failures of the server.
 */
export function createUpstreamFetch({ egress, closed, listens, onSessionLost }: FetchOptions): Fetch {
  const send: Fetch = async (url, init = {}) => {
    const method = init.method === "POST" || init.method === "DELETE" ? init.method : "GET";
    if (method === "GET" && !listens) return new Response(null, { status: 405 });
    const body = typeof init.body === "string" ? init.body : undefined;
    const operation = method === "POST" && isRequest(body) ? findOperation() : undefined;
    const limits = operation
      ? { timeoutMs: operation.remainingMs(), maxBytes: operation.remainingBytes() }
      : method === "GET" || isListening(body)
        ? listenLimits
        : shortLimits;
    // The library passes `Headers` of its own, which need no copy.
    const headers = Object.fromEntries(
      init.headers instanceof Headers ? init.headers : new Headers(init.headers),
    );
    const opening = () =>
      egress.open(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...limits,
        redirects: 0,
        signal: [closed, init.signal, operation?.ended].filter((signal) => signal != null),
      });
    try {
      const around = method === "POST" ? findOperation() : undefined;
      const reply = await (around ? around.send(opening()) : opening());
      if (operation) checkReply(reply, headers["mcp-session-id"] !== undefined, onSessionLost);
      return await toResponse(reply, operation);
    } catch (error) {
      const failure = toUpstreamError(error);
      if (operation && failure) operation.fail(failure);
      throw failure ?? error;
    }
  };
  let answering = 0;
  return async (url, init = {}) => {
    if (init.method !== "POST" || typeof init.body !== "string" || hasMethod.test(init.body))
      return send(url, init);
    // Each request of the server is answered by one of ours. Without a limit, a stream of small requests would open as
    // many connections.
    if (answering >= maxQuestions) {
      const failure = new UpstreamError(
        "invalid_answer",
        `The server sends more than ${maxQuestions} requests at once.`,
      );
      findOperation()?.fail(failure);
      throw failure;
    }
    answering += 1;
    try {
      return await send(url, init);
    } finally {
      answering -= 1;
    }
  };
}

/** The library writes the method of a message before its parameters. */
const start = String.raw`^\{(?:"jsonrpc":"2\.0",)?(?:"id":[^,]{1,80},)?"method":"`;
const requestStart = new RegExp(`${start}(?!notifications/|subscriptions/listen)`);
const listenStart = new RegExp(`${start}subscriptions/listen`);
/** Everything except an answer to the server. */
const hasMethod = new RegExp(start);
const isRequest = (body: string | undefined) => body !== undefined && requestStart.test(body);
const isListening = (body: string | undefined) => body !== undefined && listenStart.test(body);

/** Throws for replies that are no answer to a JSON-RPC request. */
function checkReply(reply: EgressStream, hasSession: boolean, onSessionLost: () => void): void {
  const { status, headers } = reply;
  if (status < 300) return;
  const refuse = (error: UpstreamError): never => {
    reply.close();
    throw error;
  };
  if (status < 400)
    refuse(new UpstreamError("unavailable", `The server answered with a redirect (${status}).`, { status }));
  const { token, scopes } = readChallenges(headers["www-authenticate"]);
  if (status === 401)
    refuse(
      new UpstreamError("challenge", "The server does not accept the credential.", {
        status,
        challenge: { status, scopes, reason: token?.params.error ?? "unauthorized" },
      }),
    );
  if (status === 403 && token?.params.error === "insufficient_scope")
    refuse(
      new UpstreamError("challenge", "The server asks for more scopes than were granted.", {
        status,
        challenge: { status, scopes, reason: "insufficient_scope" },
      }),
    );
  if (status === 403)
    refuse(
      new UpstreamError("rejected", "The server does not allow this to the credential (403).", { status }),
    );
  if (status === 429 || status >= 500)
    refuse(new UpstreamError("unavailable", `The server answered with the status ${status}.`, { status }));
  if (hasSession && (status === 404 || status === 400)) onSessionLost();
}

async function toResponse(reply: EgressStream, operation: Operation | undefined): Promise<Response> {
  const { status } = reply;
  const headers = new Headers();
  for (const name of ["content-type", "mcp-session-id"]) {
    const value = reply.headers[name]?.[0];
    if (value !== undefined) headers.set(name, value);
  }
  if (status === 202 || status === 204 || status === 205) {
    reply.close();
    return new Response(null, { status, headers });
  }
  const chunks = track(reply, operation);
  if (headers.get("content-type")?.startsWith("text/event-stream") && status < 300)
    return new Response(toStream(chunks, reply), { status, headers });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return createWholeResponse(status, headers, parts.length === 1 ? parts[0]! : Buffer.concat(parts));
}

/**
 * A reply whose body is here already, with what the library reads of a `Response`. A real one would turn the body into a
 * stream and read it back.
 */
function createWholeResponse(status: number, headers: Headers, body: Uint8Array): Response {
  const text = () => new TextDecoder().decode(body);
  const whole: Pick<
    Response,
    "ok" | "status" | "statusText" | "type" | "url" | "headers" | "body" | "text" | "json"
  > = {
    ok: status >= 200 && status < 300,
    ...{ status, statusText: "", type: "default", url: "", headers, body: null },
    text: async () => text(),
    json: async () => JSON.parse(text()),
  };
  return whole as Response;
}

/** Counts the bytes of a reply, and tells the operation when it begins and ends. */
async function* track(reply: EgressStream, operation: Operation | undefined): AsyncGenerator<Uint8Array> {
  operation?.bodyBegins();
  if (operation && reply.status < 300) operation.hasAnswer = true;
  try {
    for await (const chunk of reply.chunks) {
      operation?.countBytes(chunk.byteLength);
      yield chunk;
    }
  } catch (error) {
    const failure = toUpstreamError(error);
    if (operation && failure) operation.fail(failure);
    throw failure ?? error;
  } finally {
    operation?.bodyEnds();
  }
}

const toStream = (chunks: AsyncGenerator<Uint8Array>, reply: EgressStream): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => reply.close(),
    },
    { highWaterMark: 0 },
  );

/** Undefined when the request ended because its operation or session did. */
function toUpstreamError(error: unknown): UpstreamError | undefined {
  if (error instanceof UpstreamError) return error;
  if (!(error instanceof EgressError)) return undefined;
  if (error.kind === "aborted") return undefined;
  const kind =
    error.kind === "too_large" ? "too_large" : error.kind === "timeout" ? "timed_out" : "unavailable";
  return new UpstreamError(kind, error.message, { cause: error });
}
