import { ReadableStream } from "node:stream/web";
import { EgressError } from "./errors.ts";
import type { Exchange, OpenReply } from "./request.ts";
import type { FetchLimits } from "./types.ts";

type Fetch = typeof globalThis.fetch;
type Init = Parameters<Fetch>[1];

const statusesWithoutBody = new Set([204, 205, 304]);

/** A WHATWG `fetch` whose errors are `EgressError`s, and the caller's own reason when the caller aborts. */
export function createFetch(
  open: (exchange: Exchange) => Promise<OpenReply>,
  limits: FetchLimits,
  redirects: number,
): Fetch {
  return async (input, init) => {
    const request = toRequest(input, init);
    const { method, signal, redirect } = request;
    if (method === "CONNECT" || method === "TRACE" || method === "TRACK") {
      throw new TypeError(`The method ${method} cannot be fetched.`);
    }
    try {
      const reply = await open({
        url: request.url,
        method,
        headers: Object.fromEntries(request.headers),
        body: await requestBody(request, init),
        ...limits,
        signals: [signal],
        redirects: redirect === "follow" ? redirects : 0,
        refuseRedirects: redirect === "error",
      });
      return toResponse(reply, method);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error;
    }
  };
}

function toRequest(input: Parameters<Fetch>[0], init: Init): Request {
  const source = typeof input === "object" && "url" in input ? input : undefined;
  const href = String(source ? source.url : input);
  const url = URL.parse(href);
  if (!url) throw new EgressError("invalid_url", "The address is not a URL.");
  if (url.username !== "" || url.password !== "") {
    throw new EgressError("invalid_url", "The address must not hold a user name or password.");
  }
  const full = init?.body ? { duplex: "half" as const, ...init } : init;
  if (!source || source instanceof Request) return new Request(source ?? url, full);
  // A Request of another copy of undici.
  const { method, headers, body, signal, redirect } = source as Request;
  return new Request(url, {
    method,
    headers: [...headers],
    body,
    signal,
    redirect,
    duplex: "half",
    ...init,
  } as RequestInit);
}

/** A complete body is sent with its length, because some token endpoints cannot read chunks. */
async function requestBody(request: Request, init: Init): Promise<Exchange["body"]> {
  if (!request.body) return undefined;
  const given = init?.body;
  const streamed =
    typeof given === "object" &&
    given !== null &&
    (Symbol.asyncIterator in given || given instanceof ReadableStream);
  if (streamed) return request.body as unknown as ReadableStream<Uint8Array>;
  return new Uint8Array(await request.arrayBuffer());
}

function toResponse(reply: OpenReply, method: string): Response {
  try {
    const headers = new Headers();
    for (const [name, values] of Object.entries(reply.headers)) {
      for (const value of values) headers.append(name, value);
    }
    const none = method === "HEAD" || statusesWithoutBody.has(reply.status);
    const body = none
      ? null
      : (toStream(reply) as unknown as NonNullable<ConstructorParameters<typeof Response>[0]>);
    const response = new Response(body, { status: reply.status, statusText: reply.statusText, headers });
    Object.defineProperty(response, "url", { value: reply.url });
    Object.defineProperty(response, "redirected", { value: reply.redirectedFrom.length > 0 });
    if (none) reply.close();
    return response;
  } catch {
    reply.close();
    throw new EgressError("protocol_error", "The reply has a status or header that a Response cannot hold.", {
      url: new URL(reply.url),
    });
  }
}

function toStream(reply: OpenReply): ReadableStream<Uint8Array> {
  const chunks = reply.chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
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
}
