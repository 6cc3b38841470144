import { type Caller, type Ctx, findRights, type OrgId, type Platform, type UserId } from "../context.ts";
import { type Db, isCollision, type StatementOptions } from "../db/index.ts";
import { notFound, Refusal, unauthorized, unavailable } from "../errors.ts";
import { newId } from "../ids.ts";
import { createRequestLog } from "../log.ts";
import { type CheckedCaller, checkAccess } from "./access.ts";
import { findClientAddress, toNetwork } from "./address.ts";
import { hashCredential } from "./authenticate.ts";
import { type BodyAccount, defaultBodyDeadlineMs } from "./body.ts";
import { addCaller, checkOperator, hasSameRights } from "./caller.ts";
import { cors } from "./cors.ts";
import { assertDescribed } from "./described.ts";
import type { Source } from "./event-stream.ts";
import { createEventStreams, type EventStreams, type StreamOwner } from "./event-streams.ts";
import { whenCallerLeaves } from "./exchange.ts";
import { checkEachPart, exportType, streamed } from "./exports.ts";
import { createHostCheck } from "./host.ts";
import { hasReply, runOncePerKey } from "./idempotency.ts";
import { checkBody, parseJson, parseParams, parseQuery } from "./input.ts";
import { findShare, waitToParse } from "./long-bodies.ts";
import { isNavigation } from "./navigation.ts";
import {
  createRequestObserver,
  type PreparedRoute,
  prepareRoute,
  type RequestObserver,
} from "./prepared-route.ts";
import { checkMediaType, createProtocolReply, isBelow, type Protocol } from "./protocol.ts";
import { countAttempt } from "./rate-limit.ts";
import { answerRefusal } from "./refuse.ts";
import { type Answer, createJsonReply, toAnswer, toRefusal } from "./reply.ts";
import type { HttpHeaders, HttpRequest } from "./request.ts";
import { jsonBodyLimit, type MountedInput, type Route, type RouteSpec } from "./route.ts";
import { createRouter } from "./router.ts";
import { checkScopes } from "./scopes.ts";
import type { Reply } from "./stored-replies.ts";
import { defaultCredentialLimits, type IdempotencyLimits } from "./stored-replies.ts";

export interface HttpOptions {
  platform: Platform;
  routes: readonly Route[];
  /** Finds the caller by the credential. Undefined without a credential; throws 401 when it is not valid. */
  authenticate(ctx: Ctx, request: HttpRequest): Promise<Caller | undefined> | Caller | undefined;
  /** Decides who administers the instance. Without it, nobody does. */
  isOperator?(ctx: Ctx, userId: UserId): Promise<boolean>;
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
  repliesWhole(request: HttpRequest): boolean;
}

export function createHttp(options: HttpOptions): Http {
  const { platform } = options;
  const logRequest = createRequestLog(platform.log);
  const { bus, log, limits } = platform;
  const checkHost = createHostCheck(platform.config);
  const streams = createEventStreams({
    bus,
    log,
    limits,
    closing: options.closing ?? new AbortController().signal,
  });
  const router = createRouter(
    options.routes.map((route) => ({
      method: route.spec.method.toUpperCase(),
      path: route.spec.path,
      value: prepareRoute(platform.metrics, route),
    })),
  );
  const protocols = listProtocols(options.routes);
  const methodNotAllowed = createRequestObserver(platform.metrics, "method_not_allowed");
  const nowhere = createRequestObserver(platform.metrics, "not_found");
  const forReading = platform.db.withOptions({ work: "read" });
  const forChanging = platform.db.withOptions({ work: "change" });
  /**
   * Until the caller is known, statements count against the share of its network. Only the embedded engine has shares.
   */
  const databaseFor = (request: HttpRequest, address: string) => {
    const work = classifyWork(request);
    if (platform.db.kind === "pglite") return platform.db.withOptions({ work, share: toNetwork(address) });
    return work === "read" ? forReading : forChanging;
  };
  return {
    repliesWhole({ method, path }) {
      const spec = router.find(method, path)?.value.spec;
      return spec !== undefined && !spec.mounted && !spec.mayStream && spec.raw === undefined;
    },
    answer(request) {
      const isHead = request.method === "HEAD";
      const found = router.find(isHead ? "GET" : request.method, request.path);
      if (found && !(isHead && found.value.spec.changes)) {
        request.params = found.params;
        return observe(request, found.value, (ctx) => answer(options, streams, found.value, request, ctx));
      }
      const offered = router.methodsAt(request.path);
      const protocol = protocols.find(({ prefix }) => isBelow(prefix, request.path));
      if (offered.length === 0)
        return observe(request, { ...nowhere, protocol }, async () => Promise.reject(notFound("route")));
      return observe(request, { ...methodNotAllowed, protocol }, async ({ requestId }) => {
        const changes = router.find("GET", request.path)?.value.spec.changes;
        const offersHead = offered.includes("GET") && !changes;
        const allow = [...offered, ...(offersHead ? ["HEAD"] : []), "OPTIONS"].join(", ");
        if (request.method === "OPTIONS") return createJsonReply(204, undefined, requestId, { allow });
        const message = `${request.method} is not offered here.`;
        const refusal = new Refusal(405, { error: "method_not_allowed", message }, { allow });
        if (protocol) throw refusal;
        // Never a page: a browser that opens such an address shows the JSON.
        return createJsonReply(405, refusal.body, requestId, refusal.headers);
      });
    },
  };

  /** Gives every request an id, a log line, metrics, a trace and a reply. */
  async function observe(
    request: HttpRequest,
    observed: RequestObserver,
    work: (ctx: Ctx) => Promise<Answer>,
  ): Promise<Answer> {
    const { name, spec, time } = observed;
    const started = performance.now();
    const { method, headers } = request;
    const span = platform.trace?.start(spec ? `${method} ${spec.path}` : name, "server", headers.traceparent);
    const address = findClientAddress(request, platform.config.trustedProxies);
    const ctx: Ctx = {
      ...platform,
      db: databaseFor(request, address),
      requestId: findRequestId(headers),
      caller: undefined,
      address,
      userAgent: (headers["user-agent"] ?? "").slice(0, 300),
    };
    let reply: Answer;
    let refusal: Refusal | undefined;
    try {
      checkHost(headers);
      reply = cors.preflight(request, ctx) ?? (await work(ctx));
    } catch (error) {
      refusal = toRefusal(error, ctx.requestId, platform.log);
      reply = await answerRefusal(ctx, refusal, request, observed);
    }
    cors.decorate(request, reply, ctx);
    const { status } = reply;
    const seconds = (performance.now() - started) / 1000;
    time(status, seconds);
    observed.onReply?.(ctx, request, { status, refusal, durationMs: seconds * 1000 });
    logRequest({
      requestId: ctx.requestId,
      traceId: span?.traceId,
      operation: name,
      method,
      status,
      ms: Math.round(seconds * 1e5) / 100,
      address: ctx.address,
      credential: ctx.caller?.credential,
      userId: ctx.caller?.userId,
      orgId: findRights(ctx.caller)?.orgId,
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

/** Lists the protocols of the routes. A route outside of its protocol's prefix would have other errors than its neighbors. */
function listProtocols(routes: readonly Route[]): Protocol[] {
  const found = new Set<Protocol>();
  for (const { spec } of routes) {
    if (!spec.protocol) continue;
    if (!isBelow(spec.protocol.prefix, spec.path))
      throw new Error(`${spec.path} is not below ${spec.protocol.prefix}, the prefix of its protocol.`);
    found.add(spec.protocol);
  }
  // The longest prefix decides.
  return [...found].sort((a, b) => b.prefix.length - a.prefix.length);
}

/**
 * After a body that took longer to arrive, or to get its turn, the caller is checked again. Otherwise somebody could send
 * the head of a request, and its body after the credential has ended.
 */
const slowBodyMs = 100;

async function answer(
  options: HttpOptions,
  streams: EventStreams,
  { spec, handle, prepare, name, takesKey, onlyStatus, parseEmptyQuery }: PreparedRoute,
  request: HttpRequest,
  ctx: Ctx,
): Promise<Answer> {
  const { idempotencyLimits, checkReplies, bodyDeadlineMs = defaultBodyDeadlineMs } = options;
  const isForOperators = spec.access.kind === "operator";
  // Later checks of the caller use this database too: their statements count against the share of the network.
  const { db } = ctx;
  /** A caller that is known already is returned at once, because a promise would cost more than the check. */
  const authenticate = (): CheckedCaller | undefined | Promise<CheckedCaller | undefined> => {
    const asking = ctx.db === db ? ctx : { ...ctx, db };
    const found = options.authenticate(asking, request);
    if (!isForOperators) return found;
    return checkOperator(found, async (userId) => (await options.isOperator?.(asking, userId)) === true);
  };
  if (spec.limit) await countAttempt(ctx.db, `${name} ${toNetwork(ctx.address)}`, spec.limit);
  if (spec.access.kind !== "public") {
    const found = authenticate();
    const caller = found instanceof Promise ? await found : found;
    ctx.caller = caller;
    checkAccess(spec.access, caller, Date.now());
    if (spec.scopes) checkScopes(spec.scopes, caller);
    if (caller) addCaller(ctx, caller);
  }
  const { headers, search } = request;
  const recheckIfSlow = async <T>(waiting: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await waiting;
    if (performance.now() - startedAt > slowBodyMs) await recheck();
    return result;
  };
  const read = (account?: BodyAccount) =>
    recheckIfSlow(request.exchange.readBytes(spec.bodyLimit ?? jsonBodyLimit, bodyDeadlineMs, account));
  // On other routes the active organization does not matter, and the request itself may change it.
  const isInOrganization = spec.access.kind === "member" || spec.access.kind === "machine";
  const authorize = (caller: CheckedCaller | undefined) => {
    checkAccess(spec.access, caller, Date.now());
    if (spec.scopes) checkScopes(spec.scopes, caller);
    // The stream or the change was chosen for the rights that the caller had at its start. With fewer rights, the caller
    // must send a new request.
    if (isInOrganization && !hasSameRights(caller, ctx.caller)) throw unauthorized("invalid_token");
  };
  const recheck = async () => {
    if (ctx.caller) authorize(await authenticate());
  };
  const describeOwner = (): StreamOwner => ({
    caller: ctx.caller,
    network: toNetwork(ctx.address),
    // Streams for operators are checked apart from others: only their lookup tells who is an operator.
    credentialKey: `${isForOperators ? "operator " : ""}${hashCredential(request)}`,
    authenticate: async () => authenticate(),
    authorize,
  });
  const eventStream = (source: Source) => streams.open(describeOwner(), source);
  ctx.db = chooseDatabase(ctx, spec, request);
  if (spec.mounted) {
    const openStream = (source: Source) => streams.openBody(describeOwner(), source);
    const mounted: MountedInput = { request, readBytes: read, recheckIfSlow, openStream };
    return (await handle(ctx, mounted)) as Answer;
  }
  const query = (search === "" ? parseEmptyQuery() : undefined) ?? parseQuery(search, spec.query);
  const params = spec.params ? parseParams(request.params, spec.params) : undefined;

  const idempotencyKey = takesKey ? headers["idempotency-key"] : undefined;
  // The handler of a raw route may read the body itself, and its reply is not kept.
  const wantsBody = spec.body || (idempotencyKey !== undefined && spec.raw === undefined);
  const bytes = wantsBody ? await read() : undefined;
  const turn = bytes && waitToParse(ctx, bytes);
  if (turn) await recheckIfSlow(turn);
  const given = (bytes: Buffer) => {
    if (spec.bodyOptional && bytes.length === 0) return {};
    if (spec.protocol) checkMediaType(spec.protocol, headers);
    return parseJson(bytes, headers);
  };
  const body = spec.body && bytes ? checkBody(spec.body, given(bytes), spec) : undefined;

  const added: Record<string, string> = {};
  const setHeader = (header: string, value: string) => {
    added[header] = value;
  };
  const input = {
    params,
    query,
    body,
    headers,
    search,
    readBytes: read,
    recheckIfSlow,
    setHeader,
    eventStream,
    signal: spec.mayStream ? whenCallerLeaves(request.exchange) : undefined,
  };
  if (spec.raw) {
    const response = (await handle(ctx, input)) as Response;
    const sent = spec.raw === exportType ? checkEachPart(response, recheck) : response;
    return toAnswer(sent, ctx.requestId, streamed.has(spec.raw));
  }
  if (spec.navigation && isNavigation(headers)) {
    return toAnswer((await handle(ctx, input)) as Response, ctx.requestId, false);
  }
  const toReply = (outcome: unknown): Reply => {
    const sent = onlyStatus === undefined ? (outcome as Reply) : { status: onlyStatus, body: outcome };
    if (checkReplies) assertDescribed(spec.replies[sent.status], sent.body, name, sent.status);
    return sent;
  };
  const createReply = (status: number, body: unknown) =>
    spec.protocol
      ? createProtocolReply(spec.protocol, headers, status, body, ctx.requestId, added)
      : createJsonReply(status, body, ctx.requestId, added);
  const prepareInput = async () => {
    const prepared = await prepare?.(ctx, input);
    if (prepare) await recheck();
    return prepared;
  };
  if (idempotencyKey !== undefined) {
    const rights = isInOrganization ? findRights(ctx.caller) : undefined;
    const repeatable = {
      operation: `${request.method} ${request.path}`,
      bytes: bytes ?? Buffer.alloc(0),
      rights,
      limits: (rights && (await idempotencyLimits?.(ctx, rights.orgId))) ?? defaultCredentialLimits,
    };
    const isDone = prepare !== undefined && (await hasReply(ctx, idempotencyKey, rights));
    const prepared = isDone ? undefined : await prepareInput();
    const { status, body, replayed } = await runOncePerKey(
      ctx,
      idempotencyKey,
      repeatable,
      async (inside) => {
        // The reply expired in this moment. What must be prepared cannot be done inside of the transaction.
        if (isDone) throw unavailable("Send the request again.", 1);
        return toReply(await handle(inside, { ...input, prepared }));
      },
    );
    if (replayed) setHeader("idempotency-replayed", "true");
    return createReply(status, body);
  }
  const run = async () => handle(ctx, prepare ? { ...input, prepared: await prepareInput() } : input);
  const outcome = await run().catch(async (error: unknown) => {
    // The collision may come from a change of the caller's own rights. The reply is then that refusal.
    if (isCollision(error)) await recheck();
    throw error;
  });
  if (spec.mayStream && outcome instanceof Response) {
    const streamed = await toAnswer(outcome, ctx.requestId, true);
    return { ...streamed, headers: { ...added, ...streamed.headers } };
  }
  const { status, body: sent } = toReply(outcome);
  return createReply(status, sent);
}

/**
 * Returns true when statements are cancelled after the caller disconnects. Pages are not cancelled, because some of
 * them change data (links in mails, OAuth callbacks), and event streams share their reads with others.
 */
const isCancellable = ({ method, raw, mayStream, mounted }: RouteSpec): boolean =>
  method === "get" && !mayStream && !mounted && (raw === undefined || raw === exportType);

/**
 * The database for the handler. Only the embedded engine has shares. The signal is created with the first statement,
 * because many requests have none.
 */
function chooseDatabase(ctx: Ctx, spec: RouteSpec, request: HttpRequest): Db {
  const { db } = ctx;
  const cancellable = isCancellable(spec);
  if (db.kind === "postgres" && !cancellable) return db;
  const share = db.kind === "pglite" ? findShare(ctx) : "";
  if (!cancellable) return db.withOptions({ work: classifyWork(request), share });
  return db.withOptions(new CancellableRead(request, share));
}

/** A class, because an object with a getter of its own takes several times as long to create. */
class CancellableRead implements StatementOptions {
  readonly work = "read";
  readonly share: string;
  readonly #request: HttpRequest;
  #signal: AbortSignal | undefined;

  constructor(request: HttpRequest, share: string) {
    this.share = share;
    this.#request = request;
  }

  get signal(): AbortSignal {
    this.#signal ??= whenCallerLeaves(this.#request.exchange);
    return this.#signal;
  }
}

const classifyWork = ({ method }: HttpRequest) => (method === "GET" || method === "HEAD" ? "read" : "change");

function findRequestId(headers: HttpHeaders): string {
  const given = headers["x-request-id"];
  return given && /^[\w.-]{8,64}$/.test(given) ? given : newId("req");
}
