import type { Ctx } from "../context.ts";
import { unavailable } from "../errors.ts";
import type { Access } from "./access.ts";
import { streamHeaders } from "./event-stream.ts";
import { whenCallerLeaves } from "./exchange.ts";
import { parseJson } from "./input.ts";
import { waitToParse } from "./long-bodies.ts";
import { checkMediaType } from "./protocol.ts";
import { type Answer, baseHeaders, listHeaders } from "./reply.ts";
import type { HttpRequest } from "./request.ts";
import type { ContextForAccess, MountedInput, Route, RouteSpec } from "./route.ts";
import { tailPath } from "./router.ts";
import { splitEvents } from "./sse-bytes.ts";

/**
 * A handler as many libraries export it. `request.signal` aborts when the caller disconnects. `body` is the parsed body
 * of a mount with `parsesJson`; the request itself then has none.
 */
export type WebHandler<A extends Access = Access> = (
  ctx: ContextForAccess<A>,
  request: Request,
  body: unknown,
) => Response | Promise<Response>;

interface MountSpec<A extends Access>
  extends Pick<RouteSpec, "tag" | "summary" | "scopes" | "protocol" | "bodyLimit" | "limit" | "description"> {
  access: A;
  /** The handler takes this path and everything below it that has no route of its own. */
  prefix: string;
  methods?: readonly RouteSpec["method"][];
  /** How long the handler may take until it returns its `Response`. */
  answerMs?: number;
  /** Bodies are JSON. They are parsed and checked as on other routes, before the handler is called. */
  parsesJson?: true;
  /** Bytes of one event of an event stream. */
  maxEventBytes?: number;
}

const allMethods = ["get", "post", "put", "patch", "delete"] as const;

/**
 * Mounts a handler that takes a web `Request` and returns a `Response`. Access, scopes, limits, request id, log and
 * metrics are those of every route. Mounted routes are not part of the API description.
 */
export function mountHandler<const A extends Access>(
  { prefix, methods = allMethods, answerMs = 30_000, parsesJson, maxEventBytes, ...rest }: MountSpec<A>,
  handler: WebHandler<A>,
): Route[] {
  // The access of the route decides the context, as for `on`.
  const mounted: Mounted = {
    handler: handler as unknown as Mounted["handler"],
    answerMs,
    parsesJson,
    maxEventBytes,
    protocol: rest.protocol,
  };
  return methods.map((method) => ({
    spec: { ...rest, method, path: tailPath(prefix), mounted: true, replies: {} },
    handle: (ctx, input) => answerMounted(ctx, input as MountedInput, mounted),
  }));
}

interface Mounted extends Pick<RouteSpec, "protocol"> {
  handler(ctx: Ctx, request: Request, body: unknown): Response | Promise<Response>;
  answerMs: number;
  parsesJson: true | undefined;
  maxEventBytes: number | undefined;
}

async function answerMounted(
  ctx: Ctx,
  { request, readBytes, recheckIfSlow, openStream }: MountedInput,
  { handler, answerMs, parsesJson, maxEventBytes, protocol }: Mounted,
): Promise<Answer> {
  const cancelled = new AbortController();
  whenCallerLeaves(request.exchange, cancelled);
  const body = hasBody(request) ? await readBytes() : undefined;
  if (parsesJson && protocol && request.method === "POST") checkMediaType(protocol, request.headers);
  const turn = parsesJson && body && waitToParse(ctx, body);
  if (turn) await recheckIfSlow(turn);
  const parsed =
    parsesJson && request.method === "POST" ? parseJson(body ?? Buffer.alloc(0), request.headers) : undefined;
  const response = await limitTime(
    answerMs,
    // A body that is parsed already is not given a second time.
    async () =>
      handler(ctx, toWebRequest(ctx, request, parsesJson ? undefined : body, cancelled.signal), parsed),
    cancelled,
  );
  return toAnswer(response, request, ctx.requestId, (reader) =>
    openStream((signal) => splitEvents(reader, signal, maxEventBytes)),
  );
}

/** A web `Request` cannot have a body with these methods. Such a body is discarded, as it is on other routes. */
const hasBody = ({ method, headers }: HttpRequest): boolean =>
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0);

function toWebRequest(
  { config, requestId }: Ctx,
  { method, path, search, headers: given }: HttpRequest,
  body: Buffer | undefined,
  signal: AbortSignal,
): Request {
  const headers = { ...given, "x-request-id": requestId };
  // Not `new URL(path, base)`: a path that begins with two slashes would replace the host.
  const url = `${new URL(config.publicUrl).origin}${path}${search && `?${search}`}`;
  return new Request(url, {
    method,
    headers,
    signal,
    ...(body ? { body: new Uint8Array(body) } : {}),
  });
}

/** Rejects after the time is over, and then also aborts the handler. */
async function limitTime(
  ms: number,
  work: () => Promise<Response>,
  cancelled: AbortController,
): Promise<Response> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const refusal = unavailable("The request was not answered in time. Try again shortly.", 5);
    late.reject(refusal);
    cancelled.abort(refusal);
  }, ms);
  const answered = work();
  try {
    return await Promise.race([answered, late.promise]);
  } catch (error) {
    // A response that comes later has no reader, so it must release what it holds.
    answered.then((response) => response.body?.cancel()).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Headers that are about the connection, which belongs to the server and not to the handler. */
const connectionHeaders = ["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"];

async function toAnswer(
  response: Response,
  { method, exchange }: HttpRequest,
  requestId: string,
  openStream: (reader: ReadableStreamDefaultReader<Uint8Array>) => Promise<ReadableStream<Uint8Array>>,
): Promise<Answer> {
  const { status, body } = response;
  if (!(status >= 200 && status <= 599)) throw new Error(`A mounted handler returned the status ${status}.`);
  if (response.bodyUsed)
    throw new Error("A mounted handler returned a response whose body was already read.");
  const headers: Answer["headers"] = {
    ...baseHeaders,
    ...listHeaders(response),
    "x-request-id": requestId,
  };
  for (const name of connectionHeaders) delete headers[name];
  // A length that differs from the body would shift every later reply on the connection.
  if (method !== "HEAD") delete headers["content-length"];
  if (body === null) return { status, headers, body: undefined };
  if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
    return { status, headers, body };
  }
  const reader = body.getReader();
  const release = () => void reader.cancel().catch(() => {});
  // Also when nobody ever reads: after HEAD, a refusal, or a caller that left early.
  exchange.onEnd(release);
  return { status, headers: { ...streamHeaders, ...headers }, body: await openStream(reader) };
}
