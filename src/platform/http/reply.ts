import { isCallerDisconnected, isCollision, isDatabaseBusy, isDatabaseDown } from "../db/index.ts";
import { Refusal, unavailable } from "../errors.ts";
import type { Log } from "../log.ts";

export const baseHeaders: Record<string, string> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

const jsonHeaders = {
  ...baseHeaders,
  "content-type": "application/json; charset=UTF-8",
  "cache-control": "no-store",
};

/** A reply as it is sent. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
}

export function createJsonReply(
  status: number,
  body: unknown,
  requestId: string,
  headers?: Record<string, string>,
): Answer {
  const all: Answer["headers"] = { ...jsonHeaders, "x-request-id": requestId, ...headers };
  // Clients that parse by content type would parse nothing as JSON, and fail.
  if (status === 204) delete all["content-type"];
  return { status, headers: all, body: body === undefined ? undefined : JSON.stringify(body) };
}

/** Converts the `Response` of a handler. Only a stream is sent before it is complete. */
export async function toAnswer(response: Response, requestId: string, streams: boolean): Promise<Answer> {
  return {
    status: response.status,
    headers: { ...listHeaders(response), "x-request-id": requestId },
    body: response.body === null || streams ? (response.body ?? undefined) : await response.bytes(),
  };
}

/** Returns the headers of a response. `set-cookie` is the only one that can be there several times. */
export function listHeaders({ headers }: Response): Answer["headers"] {
  const all: Answer["headers"] = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 1) all["set-cookie"] = cookies;
  return all;
}

/**
 * Returns the refusal for a known condition, such as an unavailable database. Undefined means a fault of the server.
 */
function findRefusal(error: unknown): { refusal: Refusal; as: string } | undefined {
  if (isDatabaseDown(error)) {
    const refusal = unavailable("The database cannot be reached at the moment. Try again shortly.");
    return { refusal, as: "database unavailable" };
  }
  if (isDatabaseBusy(error)) {
    const message =
      "The database did not finish this in time. Try again shortly. If it happens again, ask for less at once.";
    return { refusal: unavailable(message, 5), as: "database busy" };
  }
  if (isCollision(error)) {
    const message = "Something that this is about was changed at the same moment. Try again.";
    return { refusal: unavailable(message, 1), as: "collision" };
  }
  // Nobody reads this reply. The log shows that the caller disconnected.
  if (isCallerDisconnected(error))
    return { refusal: new Refusal(499, { error: "client_closed_request" }), as: "caller left" };
  return undefined;
}

/** The only place that turns a thrown value into a refusal. */
export function toRefusal(error: unknown, requestId: string, log: Log): Refusal {
  if (error instanceof Refusal) return error;
  const known = findRefusal(error);
  if (known && !isCallerDisconnected(error)) log.warn({ requestId, err: error }, known.as);
  if (known) return known.refusal;
  log.error({ requestId, err: error }, "request failed");
  return new Refusal(500, { error: "internal_error", requestId });
}
