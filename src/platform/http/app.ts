import type { Caller, Ctx, Membership, OrgId, Platform, UserId } from "../context.ts";
import { isCollision } from "../db/index.ts";
import { notFound, type Refusal, unauthorized } from "../errors.ts";
import { newId } from "../ids.ts";
import { createLineLog } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { checkAccess } from "./access.ts";
import { clientAddress, networkOf } from "./address.ts";
import { credentialKey } from "./authenticate.ts";
import { type BodyAccount, defaultBodyDeadlineMs, readBytes } from "./body.ts";
import { cors } from "./cors.ts";
import type { Source } from "./event-stream.ts";
import { createEventStreams, type EventStreams } from "./event-streams.ts";
import { createHostCheck } from "./host.ts";
import { onceByKey } from "./idempotency.ts";
import { check, parseJson, parseParams, parseQuery } from "./input.ts";
import type { Reply } from "./kept-replies.ts";
import { type IdempotencyLimits, limitsOfCredential } from "./kept-replies.ts";
import { isNavigation } from "./navigation.ts";
import { countAttempt } from "./rate-limit.ts";
import { refusalPage } from "./refusal-page.ts";
import { type Answer, jsonReply, ownReply, toRefusal } from "./reply.ts";
import type { HttpHeaders, HttpRequest } from "./request.ts";
import { jsonBodyLimit, operationId, type Route, type RouteSpec, takesIdempotencyKey } from "./route.ts";
import { createRouter } from "./router.ts";

export interface HttpOptions {
  platform: Platform;
  routes: readonly Route[];
  /** Who a request's credential belongs to; undefined when it has none, a 401 when it is not good. */
  authenticate(ctx: Ctx, request: HttpRequest): Promise<Caller | undefined> | Caller | undefined;
  /** Daily limits for replies that are kept for Idempotency-Key. */
  idempotencyLimits?(ctx: Ctx, orgId: OrgId): Promise<IdempotencyLimits>;
  /** In tests: a reply that its contract does not describe becomes a fault. */
  checkReplies?: boolean;
  /** How long a body may take to arrive. */
  bodyDeadlineMs?: number;
  /** Ends streams, which would not end by themselves when the server stops. */
  closing?: AbortSignal;
}

export interface Http {
  answer(request: HttpRequest): Promise<Answer>;
}

export function createHttp(options: HttpOptions): Http {
  const { platform } = options;
  const logLine = createLineLog(platform.log);
  const { bus, log } = platform;
  const checkHost = createHostCheck(platform.config);
  const streams = createEventStreams({ bus, log, closing: options.closing ?? new AbortController().signal });
  const router = createRouter(
    options.routes.map((route) => ({
      method: route.spec.method.toUpperCase(),
      path: route.spec.path,
      value: offer(platform.metrics, route),
    })),
  );
  const methodNotAllowed = observed(platform.metrics, "method_not_allowed");
  const nowhere = observed(platform.metrics, "not_found");
  const forReading = platform.db.under({ work: "read" });
  const forChanging = platform.db.under({ work: "change" });
  /**
   * Until the caller is known, statements count against the share of its network. Only the embedded engine has shares.
   */
  const databaseFor = (request: HttpRequest, address: string) => {
    const work = workOf(request);
    if (platform.db.kind === "pglite") return platform.db.under({ work, share: networkOf(address) });
    return work === "read" ? forReading : forChanging;
  };
  return {
    answer(request) {
      const found = router.find(request.method === "HEAD" ? "GET" : request.method, request.path);
      if (found) {
        request.params = found.params;
        return observe(request, found.value, (ctx) => answer(options, streams, found.value, request, ctx));
      }
      const offered = router.methodsAt(request.path);
      if (offered.length === 0)
        return observe(request, nowhere, async () => Promise.reject(notFound("route")));
      return observe(request, methodNotAllowed, async ({ requestId }) => {
        const allow = [...offered, ...(offered.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
        if (request.method === "OPTIONS") return jsonReply(204, undefined, requestId, { allow });
        const message = `${request.method} is not offered here.`;
        return jsonReply(405, { error: "method_not_allowed", message }, requestId, { allow });
      });
    },
  };

  /** What every request gets, whatever answers it: an id, a line in the log, a place in metrics and traces, an answer. */
  async function observe(
    request: HttpRequest,
    { name, spec, time, refuse, refusalHeaders }: Observed,
    work: (ctx: Ctx) => Promise<Answer>,
  ): Promise<Answer> {
    const started = performance.now();
    const { method, headers } = request;
    const span = platform.trace?.start(spec ? `${method} ${spec.path}` : name, "server", headers.traceparent);
    const address = clientAddress(request, platform.config.trustedProxies);
    const ctx: Ctx = {
      ...platform,
      db: databaseFor(request, address),
      requestId: requestIdOf(headers),
      caller: undefined,
      address,
      userAgent: (headers["user-agent"] ?? "").slice(0, 300),
    };
    let reply: Answer;
    try {
      checkHost(headers);
      reply = cors.preflight(request, ctx) ?? (await work(ctx));
    } catch (error) {
      const refusal = toRefusal(error, ctx.requestId, platform.log);
      reply = takesPage(spec, request)
        ? await ownReply(await pageFor(ctx, refusal, request, refuse), ctx.requestId, false)
        : jsonReply(refusal.status, refusal.body, ctx.requestId, {
            ...refusal.headers,
            ...refusalHeaders?.(ctx, refusal, request),
          });
    }
    cors.decorate(request, reply, ctx);
    const { status } = reply;
    const seconds = (performance.now() - started) / 1000;
    time(status, seconds);
    logLine({
      requestId: ctx.requestId,
      traceId: span?.traceId,
      operation: name,
      method,
      status,
      ms: Math.round(seconds * 1e5) / 100,
      address: ctx.address,
      credential: ctx.caller?.credential,
      userId: ctx.caller?.userId,
      orgId: ctx.caller?.member?.orgId,
      msg: "request",
    });
    // The request's id leads to its line in our own log; who it was stays there.
    span?.end(status >= 500, {
      "http.request.method": method,
      "http.route": spec?.path,
      "http.response.status_code": status,
      "signalbox.operation": name,
      "signalbox.request_id": ctx.requestId,
      "signalbox.credential": ctx.caller?.credential,
      "error.type": status >= 500 ? String(status) : undefined,
    });
    return reply;
  }
}

/** A browser gets a page when a page route refuses, and when there is no route at the address. */
function takesPage(spec: RouteSpec | undefined, { method, headers }: HttpRequest): boolean {
  const mayBePage = spec
    ? spec.raw === "text/html" || spec.navigation !== undefined
    : method === "GET" || method === "HEAD";
  return mayBePage && isNavigation(headers);
}

async function pageFor(
  ctx: Ctx,
  refusal: Refusal,
  request: HttpRequest,
  refuse: Route["refuse"],
): Promise<Response> {
  const { search } = request;
  // A link that begins with two slashes would name a host.
  const path = request.path.replace(/^\/+/, "/");
  const usual = () =>
    refusalPage(refusal, {
      publicUrl: ctx.config.publicUrl,
      requestId: ctx.requestId,
      target: search ? `${path}?${search}` : path,
    });
  try {
    return (await refuse?.(ctx, refusal, request)) ?? usual();
  } catch (error) {
    // The page may need what has just failed, such as the database.
    ctx.log.warn({ requestId: ctx.requestId, err: error }, "refusal page failed");
    return usual();
  }
}

/** What a request is called in logs, metrics and traces. */
interface Observed {
  name: string;
  spec?: RouteSpec;
  refuse?: Route["refuse"];
  refusalHeaders?: Route["refusalHeaders"];
  time(status: number, seconds: number): void;
}

/** A route has few statuses: the place of each in the metrics is looked up once. */
function observed(metrics: Metrics, name: string): Observed {
  const timers = new Map<number, (seconds: number) => void>();
  return {
    name,
    time(status, seconds) {
      let timer = timers.get(status);
      if (!timer) {
        timer = metrics.timer("http_request_duration_seconds", { operation: name, status });
        timers.set(status, timer);
      }
      timer(seconds);
    },
  };
}

/** A route and what follows from its contract, worked out once. */
interface Offered extends Observed, Route {
  spec: RouteSpec;
  takesKey: boolean;
  /** Where the contract lists one reply, handlers return its body alone. */
  onlyStatus: number | undefined;
  /** What no query at all means to it; undefined where there has to be one. */
  emptyQuery: unknown;
}

function offer(metrics: Metrics, route: Route): Offered {
  const statuses = Object.keys(route.spec.replies).map(Number);
  return {
    ...observed(metrics, operationId(route.spec)),
    ...route,
    takesKey: takesIdempotencyKey(route.spec),
    onlyStatus: statuses.length === 1 ? statuses[0] : undefined,
    emptyQuery: Object.freeze(route.spec.query ? route.spec.query.safeParse({}).data : {}),
  };
}

/** Media types of what is sent while it is made. */
const streamed = new Set(["text/event-stream", "application/x-ndjson"]);

async function answer(
  { authenticate, idempotencyLimits, checkReplies, bodyDeadlineMs = defaultBodyDeadlineMs }: HttpOptions,
  streams: EventStreams,
  { spec, handle, name, takesKey, onlyStatus, emptyQuery }: Offered,
  request: HttpRequest,
  ctx: Ctx,
): Promise<Answer> {
  if (spec.limit) await countAttempt(ctx.db, `${name} ${networkOf(ctx.address)}`, spec.limit);
  if (spec.access.kind !== "public") {
    const caller = await authenticate(ctx, request);
    ctx.caller = caller;
    checkAccess(spec.access, caller, Date.now());
    if (caller?.userId) Object.assign(ctx, { userId: caller.userId satisfies UserId });
    if (caller?.member) Object.assign(ctx, { orgId: caller.member.orgId, member: caller.member });
  }
  const { headers, search } = request;
  const query = search === "" && emptyQuery ? emptyQuery : parseQuery(search, spec.query);
  const params = spec.params ? parseParams(request.params, spec.params) : undefined;

  const idempotencyKey = takesKey ? headers["idempotency-key"] : undefined;
  const wantsBody = spec.body || idempotencyKey !== undefined;
  const read = (account?: BodyAccount) =>
    readBytes(request, spec.bodyLimit ?? jsonBodyLimit, bodyDeadlineMs, account);
  const bytes = wantsBody ? await read() : undefined;
  const given = (bytes: Buffer) => (spec.bodyOptional && bytes.length === 0 ? {} : parseJson(bytes, headers));
  const body = spec.body && bytes ? check(spec.body, given(bytes)) : undefined;

  const added: Record<string, string> = {};
  const setHeader = (header: string, value: string) => {
    added[header] = value;
  };
  const authorize = (caller: Caller | undefined) => {
    checkAccess(spec.access, caller, Date.now());
    // The stream was chosen for the rights that the caller had at its start. With fewer rights, the caller must send a
    // new request.
    if (!isAtLeast(caller?.member, ctx.caller?.member)) throw unauthorized("invalid_token");
  };
  const recheck = async () => authorize(await authenticate(ctx, request));
  const input = {
    params,
    query,
    body,
    headers,
    search,
    readBytes: read,
    setHeader,
    eventStream: (source: Source) =>
      streams.open(
        {
          caller: ctx.caller,
          network: networkOf(ctx.address),
          credentialKey: credentialKey(request),
          authenticate: async () => authenticate(ctx, request),
          authorize,
        },
        source,
      ),
  };
  const share = ctx.caller?.member?.orgId ?? networkOf(ctx.address);
  const handled = {
    ...ctx,
    db: ctx.db.under(
      isCancellable(spec)
        ? { work: "read", signal: whenCallerLeaves(request), share }
        : { work: workOf(request), share },
    ),
  };
  if (spec.raw) {
    return ownReply((await handle(handled, input)) as Response, ctx.requestId, streamed.has(spec.raw));
  }
  if (spec.navigation && isNavigation(headers)) {
    return ownReply((await handle(handled, input)) as Response, ctx.requestId, false);
  }
  const reply = async (inside: Ctx): Promise<Reply> => {
    const outcome = await handle(inside, input);
    const sent = onlyStatus === undefined ? (outcome as Reply) : { status: onlyStatus, body: outcome };
    if (checkReplies) assertDescribed(spec.replies[sent.status], sent.body, name, sent.status);
    return sent;
  };
  if (idempotencyKey !== undefined) {
    // On other routes the active organization does not matter, and the request itself may change it.
    const member = spec.access.kind === "member" ? ctx.caller?.member : undefined;
    const repeatable = {
      operation: `${request.method} ${request.path}`,
      bytes: bytes ?? Buffer.alloc(0),
      member,
      limits: (member && (await idempotencyLimits?.(ctx, member.orgId))) ?? limitsOfCredential,
    };
    const { status, body, replayed } = await onceByKey(handled, idempotencyKey, repeatable, reply);
    return jsonReply(status, body, ctx.requestId, replayed ? { "idempotency-replayed": "true" } : undefined);
  }
  const { status, body: sent } = await reply(handled).catch(async (error: unknown) => {
    // The collision may come from a change of the caller's own rights. The reply is then that refusal.
    if (isCollision(error)) await recheck();
    throw error;
  });
  return jsonReply(status, sent, ctx.requestId, added);
}

/**
 * Returns true when statements are cancelled after the caller disconnects. Pages are not cancelled, because some of
 * them change data (links in mails, OAuth callbacks), and event streams share their reads with others.
 */
const isCancellable = ({ method, raw }: RouteSpec): boolean =>
  method === "get" && (raw === undefined || raw === "application/x-ndjson");

const workOf = ({ method }: HttpRequest) => (method === "GET" || method === "HEAD" ? "read" : "change");

function whenCallerLeaves({ outgoing }: HttpRequest): AbortSignal {
  const left = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) left.abort();
  });
  if (outgoing.destroyed) left.abort();
  return left.signal;
}

function assertDescribed(
  schema: Route["spec"]["replies"][number] | undefined,
  body: unknown,
  name: string,
  status: number,
) {
  if (schema === undefined) throw new Error(`${name} replied ${status}, which its contract does not list.`);
  if (schema === null) {
    if (body !== undefined) throw new Error(`${name} replied ${status} with a body, its contract says none.`);
    return;
  }
  const wire = JSON.parse(JSON.stringify(body ?? null));
  const checked = schema.safeParse(wire);
  if (!checked.success)
    throw new Error(
      `${name} replied ${status} with a body its contract does not describe: ${checked.error.message}`,
    );
}

function requestIdOf(headers: HttpHeaders): string {
  const given = headers["x-request-id"];
  return given && /^[\w.-]{8,64}$/.test(given) ? given : newId("req");
}

/** The same membership, with every permission it had. */
const isAtLeast = (now: Membership | undefined, before: Membership | undefined): boolean =>
  now?.id === before?.id && [...(before?.permissions ?? [])].every((name) => now!.permissions.has(name));
