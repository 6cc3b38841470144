import type { z } from "zod";
import type { Ctx, MachineCtx, MemberCtx, OrganizationCtx, PersonCtx } from "../context.ts";
import type { Refusal } from "../errors.ts";
import type { Access } from "./access.ts";
import type { BodyAccount } from "./body.ts";
import type { OpenStream } from "./event-stream.ts";
import type { Protocol } from "./protocol.ts";
import type { HttpHeaders, HttpRequest } from "./request.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** The contract of a route. Validation, types, access and openapi.json come from it. */
export interface RouteSpec {
  method: Method;
  /** As in OpenAPI: `/v1/members/{id}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** Scopes that the caller's credential must have, all of them. */
  scopes?: readonly string[];
  /** The protocol that fixes media types and the form of errors. */
  protocol?: Protocol;
  params?: z.ZodObject;
  /** Without it, every query parameter is refused. */
  query?: z.ZodObject;
  body?: z.ZodType;
  /**
   * A faster check of the most frequent bodies. Returns exactly what the schema would return, or undefined; then the
   * schema decides.
   */
  recognizeBody?(value: unknown): unknown;
  /** A request without a body counts as `{}`. On other routes a missing body is refused. */
  bodyOptional?: true;
  /** Successful replies; `null` means no body. With one entry, the handler returns the body itself. */
  replies: Record<number, z.ZodType | null>;
  /** Refusals beyond those that follow from the rest of the contract: status and what it means. */
  errors?: Record<number, string | { description: string; schema: z.ZodType }>;
  /**
   * The handler reads the body as bytes, in one of these media types. For callers that sign the exact bytes of their
   * requests.
   */
  bytes?: readonly string[];
  /** Request headers that the handler reads, for the API reference. */
  requestHeaders?: Record<string, HeaderSpec>;
  /** Additional headers of successful replies. */
  replyHeaders?: Record<string, HeaderSpec>;
  /** Bytes of the request body. */
  bodyLimit?: number;
  /** Limit of attempts per address, then 429. For routes that accept secrets that could be guessed. */
  limit?: { attempts: number; perSeconds: number };
  /** The handler answers with a `Response` of its own, of this media type (a page, a stream). */
  raw?: string;
  /** A GET that changes data, because a browser is led to it. It is not offered as HEAD, which must have no effect. */
  changes?: true;
  /** The handler may answer with `eventStream` instead of a body. Such routes take no Idempotency-Key. */
  mayStream?: true;
  /** Set by `mountHandler`: the handler takes the request as it is, and builds the whole reply. */
  mounted?: true;
  /**
   * The reply for a person who opens this address in a browser. When `isNavigation` is true, the handler returns its
   * own `Response` instead of JSON, and refusals are pages.
   */
  navigation?: { status: 303; description: string };
}

export interface HeaderSpec {
  description: string;
  example: string;
  required?: boolean;
}

export const jsonBodyLimit = 1024 * 1024;
/** For routes whose longest valid body has a few KiB. A longer one is refused without being parsed. */
export const shortBodyLimit = 64 * 1024;

export function route<const Spec extends RouteSpec>(spec: Spec): Spec {
  return spec;
}

/** `post /v1/automation-runs/{id}/events` → `postV1AutomationRunsByIdEvents`: one search finds the route. */
export function operationId({ method, path }: Pick<RouteSpec, "method" | "path">): string {
  const words = path.split("/").flatMap((segment) => {
    const param = /^\{(\w+)\}$/.exec(segment);
    return (param ? `by-${param[1]}` : segment).split(/[^a-zA-Z0-9]+/);
  });
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/**
 * Returns true for POST routes that create something. A 202 of a public route does not count: it is a step of signing
 * in, or a delivery that has its own id.
 */
export const takesIdempotencyKey = (spec: RouteSpec) =>
  spec.method === "post" &&
  !spec.mayStream &&
  (201 in spec.replies || (spec.access.kind !== "public" && 202 in spec.replies));

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

export interface Input<Spec extends RouteSpec> {
  params: Parsed<Spec["params"]>;
  query: Parsed<Spec["query"]>;
  body: Parsed<Spec["body"]>;
  headers: HttpHeaders;
  /** The query as it was sent, for the one route whose query a library checks. */
  search: string;
  /** Reads the body of a route that takes bytes; 413 when it is too large. */
  readBytes(account?: BodyAccount): Promise<Buffer>;
  /** Waits, and then checks the caller again if that took long. */
  recheckIfSlow<T>(waiting: Promise<T>): Promise<T>;
  /** Sets a header of the reply, for the few routes that set a cookie. */
  setHeader(name: string, value: string): void;
  /** Answers with a stream of messages, for as long as the caller may have them. */
  eventStream: OpenStream;
  /** Of routes that may stream: aborts when the caller disconnects before the whole reply is sent. */
  signal: Spec extends { mayStream: true } ? AbortSignal : undefined;
}

export type ContextForAccess<A extends Access> = A extends { kind: "member"; machines: true }
  ? OrganizationCtx
  : A extends { kind: "member" }
    ? MemberCtx
    : A extends { kind: "machine" }
      ? MachineCtx
      : A extends { kind: "user" | "operator" }
        ? PersonCtx
        : Ctx;

type Body<T> = T extends z.ZodType ? z.input<T> : undefined;
type Bodies<Replies> = {
  [Status in keyof Replies]: { status: Status; body: Body<Replies[Status]> };
}[keyof Replies];
type IsUnion<T, U = T> = T extends U ? ([U] extends [T] ? false : true) : never;

export type Outcome<Spec extends RouteSpec> = Spec extends { raw: string }
  ? Response
  : BodyOutcome<Spec> | (Spec extends { navigation: object } | { mayStream: true } ? Response : never);

type BodyOutcome<Spec extends RouteSpec> =
  IsUnion<keyof Spec["replies"]> extends true
    ? Bodies<Spec["replies"]>
    : Body<Spec["replies"][keyof Spec["replies"] & number]> extends undefined
      ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler of a 204 returns nothing
        void
      : Body<Spec["replies"][keyof Spec["replies"] & number]>;

export type Handler<Spec extends RouteSpec> = (
  ctx: ContextForAccess<Spec["access"]>,
  input: Input<Spec>,
) => Outcome<Spec> | Promise<Outcome<Spec>>;

/** The input of a handler whose outside calls were made before. */
export type PreparedInput<Spec extends RouteSpec, Prepared> = Input<Spec> & { prepared: Prepared };

/** The input of a mounted handler. */
export interface MountedInput extends Pick<Input<RouteSpec>, "readBytes" | "recheckIfSlow"> {
  request: HttpRequest;
  /** As `eventStream` of other routes, without the reply around it. */
  openStream(source: Parameters<OpenStream>[0]): Promise<ReadableStream<Uint8Array>>;
}

/** A contract and the call that answers it, its types forgotten so that rooms can be listed together. */
export interface Route {
  spec: RouteSpec;
  handle(
    ctx: Ctx,
    input: (Record<keyof Input<RouteSpec>, unknown> & { prepared?: unknown }) | MountedInput,
  ): Promise<unknown>;
  /**
   * Called before the handler and outside of the transaction of an Idempotency-Key, for calls to other servers. Its
   * result is `prepared` of the handler's input. It is not called when the key has a reply already.
   */
  prepare?(ctx: Ctx, input: Record<keyof Input<RouteSpec>, unknown>): Promise<unknown>;
  /** Builds the page for a refusal. Without it, the standard page is shown. */
  refuse?: RefusalPage;
  /** Additional headers of a refusal, for the route that clears a cookie. */
  refusalHeaders?(ctx: Ctx, refusal: Refusal, request: Pick<HttpRequest, "headers">): Record<string, string>;
  /**
   * Called after every request, also after one that was refused before the handler. `ctx.caller` is set when the
   * credential was valid. It must not throw.
   */
  onReply?(ctx: Ctx, request: Pick<HttpRequest, "method" | "path" | "search">, end: RequestEnd): void;
}

/** How a request ended. */
export interface RequestEnd {
  status: number;
  /** Undefined for a successful reply. */
  refusal: Refusal | undefined;
  durationMs: number;
}

/** Returns undefined to show the standard page. `ctx.caller` is set when the credential was valid. */
export type RefusalPage = (
  ctx: Ctx,
  refusal: Refusal,
  request: Pick<HttpRequest, "params" | "path" | "search" | "headers">,
) => Promise<Response | undefined>;

export function on<const Spec extends RouteSpec>(
  spec: Spec,
  handler: Handler<Spec>,
  refuse?: RefusalPage,
): Route {
  return { spec, handle: handler as unknown as Route["handle"], ...(refuse ? { refuse } : {}) };
}

/** A route that calls other servers before it changes anything. */
export function onPrepared<const Spec extends RouteSpec, Prepared>(
  spec: Spec,
  prepare: (ctx: ContextForAccess<Spec["access"]>, input: Input<Spec>) => Promise<Prepared>,
  handler: (
    ctx: ContextForAccess<Spec["access"]>,
    input: PreparedInput<Spec, Prepared>,
  ) => Outcome<Spec> | Promise<Outcome<Spec>>,
): Route {
  return {
    spec,
    handle: handler as unknown as Route["handle"],
    prepare: prepare as unknown as NonNullable<Route["prepare"]>,
  };
}
