import { idempotentOperations, type Operations, type Streams } from "./api.ts";
import { followStream, readStreamOnce, type StreamUpdate } from "./follow-stream.ts";
import type { Http, HttpRequest, Query } from "./http.ts";
import { iteratePages, type Page } from "./pages.ts";

export type Operation = keyof Operations;
export type Input<Name extends Operation> = Operations[Name]["input"];
export type Reply<Name extends Operation> = Operations[Name]["reply"];
/** The body of a request. */
export type Body<Name extends Operation> =
  Input<Name> extends { body?: infer Sent } ? NonNullable<Sent> : never;
/** The operations that reply with one page of a list. */
export type ListOperation = {
  [Name in Operation]: Reply<Name> extends Page<unknown> ? Name : never;
}[Operation];
export type Item<Name extends ListOperation> = Reply<Name> extends Page<infer One> ? One : never;

export interface CallOptions {
  signal?: AbortSignal;
  /** Time limit for one try, in milliseconds. */
  timeoutMs?: number;
  headers?: Record<string, string>;
  /** Replaces the generated `Idempotency-Key`. `false`: none is sent, and the request is not repeated. */
  idempotencyKey?: string | false;
}

/** The last argument may be left out when the operation has no required input. */
type Arguments<In> = object extends In ? [input?: In & CallOptions] : [input: In & CallOptions];

type AnyInput = CallOptions & { path?: Record<string, string | number>; query?: Query; body?: unknown };

/** Calls of any operation by its method and path, with the types of `openapi.json`. */
export interface OperationCalls {
  request<Name extends Operation>(name: Name, ...input: Arguments<Input<Name>>): Promise<Reply<Name>>;
  /** Yields all items of a list, page after page. */
  paginate<Name extends ListOperation>(
    name: Name,
    ...input: Arguments<Input<Name>>
  ): AsyncGenerator<Item<Name>>;
  /** Follows a stream of events and connects again after a break. A stream by POST is sent once. */
  stream<Name extends keyof Streams>(
    name: Name,
    ...input: Arguments<Streams[Name]["input"] & { lastEventId?: string }>
  ): AsyncGenerator<StreamUpdate>;
}

export function createOperationCalls(http: Http): OperationCalls {
  const send = async (name: string, input: AnyInput = {}) => http.request(toRequest(name, input));
  return {
    request: async (name, ...[input]) => (await send(name, input as AnyInput)) as Reply<typeof name>,
    paginate<Name extends ListOperation>(name: Name, ...[input]: Arguments<Input<Name>>) {
      const given = (input ?? {}) as AnyInput;
      return iteratePages(async (page) => {
        const query = { ...given.query, ...page };
        return (await send(name, { ...given, query })) as unknown as Page<Item<Name>>;
      });
    },
    stream(name, ...[input]) {
      const given = (input ?? {}) as AnyInput & { lastEventId?: string };
      const request = toRequest(name, given);
      if (request.method !== "GET") return readStreamOnce(http, request);
      return followStream(http, request.path, given);
    },
  };
}

function toRequest(name: string, input: AnyInput): HttpRequest {
  const [method = "", template = ""] = name.split(" ");
  const { path = {}, query, body, signal, timeoutMs, headers, idempotencyKey } = input;
  const acceptsKey = idempotencyKey !== false && idempotentOperations.has(name);
  return {
    method,
    path: template.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(path[field]))),
    query,
    body,
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(headers === undefined ? {} : { headers }),
    ...(acceptsKey ? { idempotencyKey: idempotencyKey ?? createKey() } : {}),
  };
}

/** 128 random bits. `crypto.randomUUID` is missing in browsers on pages without TLS. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
