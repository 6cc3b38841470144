import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Caller, Ctx, Membership, Platform, UserId } from "../context.ts";
import { isCollision } from "../db/index.ts";
import { notFound, unauthorized } from "../errors.ts";
import { newId } from "../ids.ts";
import { checkAccess } from "./access.ts";
import { clientAddress, networkOf } from "./address.ts";
import { cors } from "./cors.ts";
import { eventStream, type Source } from "./event-stream.ts";
import { onceByKey, type Reply } from "./idempotency.ts";
import { check, defaultBodyDeadlineMs, parseJson, parseQuery, readBytes } from "./input.ts";
import { countAttempt } from "./rate-limit.ts";
import { jsonReply, refusalReply } from "./reply.ts";
import { jsonBodyLimit, operationId, type Route, type RouteSpec, takesIdempotencyKey } from "./route.ts";

type Bindings = { Bindings: Partial<HttpBindings> };

export interface HttpOptions {
  platform: Platform;
  routes: readonly Route[];
  /** Who a request's credential belongs to; undefined when it has none, a 401 when it is not good. */
  authenticate(ctx: Ctx, request: Request): Promise<Caller | undefined> | Caller | undefined;
  /** In tests: a reply that its contract does not describe becomes a fault. */
  checkReplies?: boolean;
  /** How long a body may take to arrive. */
  bodyDeadlineMs?: number;
  /** Ends streams, which would not end by themselves when the server stops. */
  closing?: AbortSignal;
}

export function createHttp(options: HttpOptions): Hono<Bindings> {
  const { platform, routes } = options;
  // The fields of a request's line are fixed and none is secret: looking for one in each would cost a sixth
  // of the whole request.
  const accessLog = platform.log.child({}, { redact: { paths: [] } });
  const app = new Hono<Bindings>();
  // Asked when no route answered. A second handler on the path itself would put a chain before each request.
  const unanswered = new Hono<Bindings>();
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const path = route.spec.path.replace(/\{(\w+)\}/g, ":$1");
    methods.set(path, [...(methods.get(path) ?? []), route.spec.method.toUpperCase()]);
    const offered = offer(route);
    app.on(route.spec.method.toUpperCase(), path, (c) =>
      observe(c, offered, (ctx) => answer(options, offered, c, ctx)),
    );
  }
  for (const [path, allowed] of methods) {
    const allow = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
    unanswered.all(path, (c) =>
      observe(c, { name: "method_not_allowed" }, async ({ requestId }) => {
        if (c.req.method === "OPTIONS") return jsonReply(204, undefined, requestId, { allow });
        const message = `${c.req.method} is not offered here.`;
        return jsonReply(405, { error: "method_not_allowed", message }, requestId, { allow });
      }),
    );
  }
  unanswered.notFound((c) =>
    observe(c, { name: "not_found" }, async () => Promise.reject(notFound("route"))),
  );
  app.notFound((c) => unanswered.fetch(c.req.raw, c.env));
  return app;

  /** What every request gets, whatever answers it: an id, a line in the log, a place in metrics and traces, an answer. */
  async function observe(
    c: Context<Bindings>,
    { name, spec }: { name: string; spec?: RouteSpec },
    work: (ctx: Ctx) => Promise<Response>,
  ): Promise<Response> {
    const started = performance.now();
    const request = c.req.raw;
    const span = platform.trace?.start(
      spec ? `${request.method} ${spec.path}` : name,
      "server",
      request.headers.get("traceparent"),
    );
    const ctx: Ctx = {
      ...platform,
      requestId: requestIdOf(request),
      caller: undefined,
      address: clientAddress(request, c.env, platform.config.trustedProxies),
      userAgent: (request.headers.get("user-agent") ?? "").slice(0, 300),
    };
    let response: Response;
    try {
      response = cors.preflight(request, ctx) ?? (await work(ctx));
    } catch (error) {
      response = refusalReply(error, ctx.requestId, platform.log);
    }
    cors.decorate(request, response, ctx);
    const seconds = (performance.now() - started) / 1000;
    platform.metrics.time(
      "http_request_duration_seconds",
      { operation: name, status: response.status },
      seconds,
    );
    accessLog.info(
      {
        requestId: ctx.requestId,
        traceId: span?.traceId,
        operation: name,
        method: request.method,
        status: response.status,
        ms: Math.round(seconds * 1e5) / 100,
        address: ctx.address,
        credential: ctx.caller?.credential,
        userId: ctx.caller?.userId,
        orgId: ctx.caller?.member?.orgId,
      },
      "request",
    );
    // The request's id leads to its line in our own log; who it was stays there.
    span?.end(response.status >= 500, {
      "http.request.method": request.method,
      "http.route": spec?.path,
      "http.response.status_code": response.status,
      "signalbox.operation": name,
      "signalbox.request_id": ctx.requestId,
      "signalbox.credential": ctx.caller?.credential,
      "error.type": response.status >= 500 ? String(response.status) : undefined,
    });
    return response;
  }
}

/** A route and what follows from its contract, worked out once. */
interface Offered extends Route {
  name: string;
  takesKey: boolean;
  /** Where the contract lists one reply, handlers return its body alone. */
  onlyStatus: number | undefined;
}

function offer(route: Route): Offered {
  const statuses = Object.keys(route.spec.replies).map(Number);
  return {
    ...route,
    name: operationId(route.spec),
    takesKey: takesIdempotencyKey(route.spec),
    onlyStatus: statuses.length === 1 ? statuses[0] : undefined,
  };
}

const never = new AbortController().signal;

async function answer(
  { authenticate, checkReplies, bodyDeadlineMs = defaultBodyDeadlineMs, closing = never }: HttpOptions,
  { spec, handle, name, takesKey, onlyStatus }: Offered,
  c: Context<Bindings>,
  ctx: Ctx,
): Promise<Response> {
  const request = c.req.raw;
  if (spec.limit) await countAttempt(ctx.db, `${name} ${networkOf(ctx.address)}`, spec.limit);
  if (spec.access.kind !== "public") {
    const caller = await authenticate(ctx, request);
    ctx.caller = caller;
    checkAccess(spec.access, caller, Date.now());
    if (caller?.userId) Object.assign(ctx, { userId: caller.userId satisfies UserId });
    if (caller?.member) Object.assign(ctx, { orgId: caller.member.orgId, member: caller.member });
  }
  const search = request.url.indexOf("?");
  const query =
    search < 0 && !spec.query ? {} : parseQuery(search < 0 ? "" : request.url.slice(search + 1), spec.query);
  const params = spec.params ? check(spec.params, c.req.param()) : undefined;

  const idempotencyKey = takesKey ? request.headers.get("idempotency-key") : null;
  const wantsBody = spec.body || idempotencyKey !== null;
  const bytes = wantsBody
    ? await readBytes(request, c.env, spec.bodyLimit ?? jsonBodyLimit, bodyDeadlineMs)
    : undefined;
  const given = (bytes: Buffer) => (spec.bodyOptional && bytes.length === 0 ? {} : parseJson(bytes, request));
  const body = spec.body && bytes ? check(spec.body, given(bytes)) : undefined;

  const added: [string, string][] = [];
  const addHeader = (header: string, value: string) => void added.push([header, value]);
  const recheck = async () => {
    const caller = await authenticate(ctx, request);
    checkAccess(spec.access, caller, Date.now());
    // What is being sent was chosen for who they were at the beginning: they may ask again as who they are.
    if (!isAtLeast(caller?.member, ctx.caller?.member)) throw unauthorized("invalid_token");
  };
  const input = {
    params,
    query,
    body,
    request,
    readBytes: () => readBytes(request, c.env, spec.bodyLimit ?? jsonBodyLimit, bodyDeadlineMs),
    addHeader,
    eventStream: (source: Source) => eventStream({ ...ctx, recheck, closing }, source),
  };
  if (spec.raw) {
    const response = (await handle(ctx, input)) as Response;
    response.headers.set("x-request-id", ctx.requestId);
    return response;
  }
  const reply = async (inside: Ctx): Promise<Reply> => {
    const outcome = await handle(inside, input);
    const sent = onlyStatus === undefined ? (outcome as Reply) : { status: onlyStatus, body: outcome };
    if (checkReplies) assertDescribed(spec.replies[sent.status], sent.body, name, sent.status);
    return sent;
  };
  if (idempotencyKey !== null && ctx.caller) {
    const { status, body, replayed } = await onceByKey(
      { ...ctx, caller: ctx.caller },
      idempotencyKey,
      {
        operation: `${request.method} ${new URL(request.url).pathname}`,
        // Elsewhere the active organization does not matter, and may change by the very request.
        orgId: spec.access.kind === "member" ? ctx.caller.member?.orgId : undefined,
      },
      bytes ?? Buffer.alloc(0),
      reply,
    );
    return jsonReply(status, body, ctx.requestId, replayed ? { "idempotency-replayed": "true" } : undefined);
  }
  const { status, body: sent } = await reply(ctx).catch(async (error: unknown) => {
    // What the caller may do may be what went: then that is the answer.
    if (isCollision(error)) await recheck();
    throw error;
  });
  const response = jsonReply(status, sent, ctx.requestId);
  for (const [header, value] of added) response.headers.append(header, value);
  return response;
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

function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given && /^[\w.-]{8,64}$/.test(given) ? given : newId("req");
}

/** The same membership, with every permission it had. */
const isAtLeast = (now: Membership | undefined, before: Membership | undefined): boolean =>
  now?.id === before?.id && [...(before?.permissions ?? [])].every((name) => now!.permissions.has(name));
