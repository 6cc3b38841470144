import type { Ctx } from "../context.ts";
import { type Answer, createJsonReply } from "./reply.ts";
import type { HttpRequest } from "./request.ts";

/** Off unless CORS_ORIGINS names origins. Those use tokens: cookies are never offered across origins. */
export const cors = {
  preflight(request: HttpRequest, ctx: Ctx): Answer | undefined {
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined)
      return undefined;
    if (!allowedOrigin(request, ctx)) return undefined;
    return createJsonReply(204, undefined, ctx.requestId, {
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, idempotency-key, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-api-key, x-organization-id, x-request-id",
      "access-control-max-age": "600",
    });
  },
  decorate(request: HttpRequest, { headers }: Answer, ctx: Ctx): void {
    if (ctx.config.corsOrigins.length === 0) return;
    headers.vary = headers.vary ? `${headers.vary}, Origin` : "Origin";
    const origin = allowedOrigin(request, ctx);
    if (!origin) return;
    headers["access-control-allow-origin"] = origin;
    headers["access-control-expose-headers"] =
      "x-request-id, retry-after, idempotency-replayed, mcp-session-id, www-authenticate";
    headers["cross-origin-resource-policy"] = "cross-origin";
  },
};

function allowedOrigin({ headers }: HttpRequest, { config }: Ctx): string | undefined {
  if (config.corsOrigins.length === 0) return undefined;
  const { origin } = headers;
  return origin !== undefined && config.corsOrigins.includes(origin) ? origin : undefined;
}
