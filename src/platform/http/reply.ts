import { getRequestListener } from "@hono/node-server";
import { isCollision, isDatabaseDown } from "../db/index.ts";
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

/**
 * The adapter has a Response of its own that it writes out as it is, without a stream in between: a fifth
 * of a small request. It hands it over only by replacing the global one, of which the replies of `fetch`
 * would then be no instances; so we take it and put the globals back.
 */
const PlainResponse: typeof Response = (() => {
  const { Request, Response } = Object.getOwnPropertyDescriptors(globalThis);
  getRequestListener(() => new globalThis.Response());
  const taken = globalThis.Response;
  Object.defineProperties(globalThis, { Request, Response });
  return taken;
})();

export function jsonReply(
  status: number,
  body: unknown,
  requestId: string,
  headers?: Record<string, string>,
): Response {
  return new PlainResponse(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { ...jsonHeaders, "x-request-id": requestId, ...headers },
  });
}

/** The one place where something thrown becomes something sent. */
export function refusalReply(error: unknown, requestId: string, log: Log): Response {
  const refusal =
    error instanceof Refusal
      ? error
      : isDatabaseDown(error)
        ? unavailable("The database cannot be reached at the moment. Try again shortly.")
        : isCollision(error)
          ? unavailable("Something that this is about was changed at the same moment. Try again.", 1)
          : undefined;
  if (refusal) {
    if (!(error instanceof Refusal))
      log.warn({ requestId, err: error }, isCollision(error) ? "collision" : "database unavailable");
    return jsonReply(refusal.status, refusal.body, requestId, refusal.headers);
  }
  log.error({ requestId, err: error }, "request failed");
  return jsonReply(500, { error: "internal_error", requestId }, requestId);
}
