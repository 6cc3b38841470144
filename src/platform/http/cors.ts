import type { Ctx } from "../context.ts";
import { jsonReply } from "./reply.ts";

/** Off unless CORS_ORIGINS names origins. Those use tokens: cookies are never offered across origins. */
export const cors = {
  preflight(request: Request, ctx: Ctx): Response | undefined {
    if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method"))
      return undefined;
    if (!allowedOrigin(request, ctx)) return undefined;
    return jsonReply(204, undefined, ctx.requestId, {
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, idempotency-key, last-event-id, x-api-key, x-organization-id, x-request-id",
      "access-control-max-age": "600",
    });
  },
  decorate(request: Request, response: Response, ctx: Ctx): void {
    if (ctx.config.corsOrigins.length === 0) return;
    response.headers.append("vary", "Origin");
    const origin = allowedOrigin(request, ctx);
    if (!origin) return;
    response.headers.set("access-control-allow-origin", origin);
    response.headers.set(
      "access-control-expose-headers",
      "x-request-id, retry-after, idempotency-replayed, www-authenticate",
    );
    response.headers.set("cross-origin-resource-policy", "cross-origin");
  },
};

function allowedOrigin(request: Request, { config }: Ctx): string | undefined {
  if (config.corsOrigins.length === 0) return undefined;
  const origin = request.headers.get("origin");
  return origin !== null && config.corsOrigins.includes(origin) ? origin : undefined;
}
