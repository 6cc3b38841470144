import type { Ctx } from "../context.ts";
import type { Refusal } from "../errors.ts";
import { isNavigation } from "./navigation.ts";
import type { RequestObserver } from "./prepared-route.ts";
import { refuseByProtocol } from "./protocol.ts";
import { renderRefusalPage } from "./refusal-page.ts";
import { type Answer, createJsonReply, toAnswer } from "./reply.ts";
import type { HttpRequest } from "./request.ts";
import type { Route, RouteSpec } from "./route.ts";

/** Builds the reply to a refused request: in the form of the route's protocol, as a page, or as JSON. */
export async function answerRefusal(
  ctx: Ctx,
  refusal: Refusal,
  request: HttpRequest,
  { spec, protocol, refuse, refusalHeaders }: RequestObserver,
): Promise<Answer> {
  const { requestId } = ctx;
  if (protocol) {
    const { publicUrl } = ctx.config;
    try {
      return refuseByProtocol(protocol, refusal, { headers: request.headers, publicUrl, requestId });
    } catch (error) {
      // A fault in the renderer must not take the reply away.
      ctx.log.error({ requestId, err: error }, "error renderer failed");
      return createJsonReply(500, { error: "internal_error", requestId }, requestId);
    }
  }
  if (takesPage(spec, request))
    return toAnswer(await buildPage(ctx, refusal, request, refuse), requestId, false);
  return createJsonReply(refusal.status, refusal.body, requestId, {
    ...refusal.headers,
    ...refusalHeaders?.(ctx, refusal, request),
  });
}

/** A browser gets a page when a page route refuses, and when there is no route at the address. */
function takesPage(spec: RouteSpec | undefined, { method, headers }: HttpRequest): boolean {
  const mayBePage = spec
    ? spec.raw === "text/html" || spec.navigation !== undefined
    : method === "GET" || method === "HEAD";
  return mayBePage && isNavigation(headers);
}

async function buildPage(
  ctx: Ctx,
  refusal: Refusal,
  request: HttpRequest,
  refuse: Route["refuse"],
): Promise<Response> {
  const { search } = request;
  // A link that begins with two slashes would name a host.
  const path = request.path.replace(/^\/+/, "/");
  const usual = () =>
    renderRefusalPage(refusal, {
      publicUrl: ctx.config.publicUrl,
      requestId: ctx.requestId,
      target: search ? `${path}?${search}` : path,
    });
  try {
    return (await refuse?.(ctx, refusal, request)) ?? usual();
  } catch (error) {
    // The page may need what has just failed, such as the database.
    ctx.log.warn({ requestId: ctx.requestId, err: error }, "refusal page failed");
    return usual();
  }
}
