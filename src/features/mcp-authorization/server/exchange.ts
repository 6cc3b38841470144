import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request as the authorization server receives it. The platform has read and limited it. */
export interface ServerRequest {
  method: "GET" | "POST";
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer;
}

/**
 * Gives a request to a handler that takes the objects of `node:http`, and returns its reply. The objects belong to no
 * connection: the platform sends the reply, with the headers, the log and the metrics of every route.
 */
export async function exchange(
  listener: RequestListener,
  { method, target, headers, body }: ServerRequest,
): Promise<Response> {
  const socket = new Socket();
  const incoming = new IncomingMessage(socket);
  const outgoing = new ServerResponse(incoming);
  const ended = Promise.withResolvers<Response>();
  Object.assign(incoming, { method, url: target, httpVersion: "1.1", complete: true });
  incoming.headers = { ...headers, ...(body ? { "content-length": String(body.length) } : {}) };
  if (body) incoming.push(body);
  incoming.push(null);
  const end = (chunk?: unknown) => {
    const isContent = typeof chunk === "string" || chunk instanceof Uint8Array;
    ended.resolve(
      new Response(isContent && chunk.length > 0 ? Buffer.from(chunk) : null, {
        status: outgoing.statusCode,
        headers: listHeaders(outgoing),
      }),
    );
    return outgoing;
  };
  outgoing.end = end;
  try {
    listener(incoming, outgoing);
    return await ended.promise;
  } finally {
    socket.destroy();
  }
}

/** The connection and its lengths are the platform's. */
const ignored = ["content-length", "connection", "transfer-encoding", "date", "vary"];

function listHeaders(outgoing: ServerResponse): [string, string][] {
  return Object.entries(outgoing.getHeaders()).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || ignored.includes(name) || name.startsWith("access-control-")) return [];
    return (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]);
  });
}
