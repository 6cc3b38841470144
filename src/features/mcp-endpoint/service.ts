import { createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { MemberCtx } from "../../platform/context.ts";
import { forbidden, invalidRequest } from "../../platform/errors.ts";
import { toolChanges } from "./changes.ts";
import { type Listing, limits, listings } from "./contract.ts";
import { type Exchange, readScopes } from "./exchange.ts";
import { createServer } from "./server.ts";
import {
  callsInProgress,
  createSessionId,
  isAnswer,
  nameAsker,
  nameCall,
  questions,
  readSession,
  sessionHeader,
} from "./sessions/index.ts";

/** Answers one request. Every request has a server of its own, which knows its caller. */
export async function serve(ctx: MemberCtx, request: Request, body: unknown): Promise<Response> {
  checkOrigin(ctx, request);
  checkBatch(body);
  const exchange: Exchange = {
    ctx,
    scopes: readScopes(ctx),
    listing: readListing(request),
    session: readSession(request.headers.get(sessionHeader)),
  };
  await passOn(exchange, body);
  const handler = createMcpHandler(({ era }) => createServer(exchange, era), {
    // A call may take long, and a stream ends with its credential. The method is checked against the body.
    responseMode: request.headers.get("mcp-method") === "tools/call" ? "sse" : "auto",
    bus: ctx.state.get(toolChanges).forCaller(ctx),
    // Our own streams send heartbeats.
    keepAliveMs: 0,
    maxRequestBodySize: limits.bodyBytes,
    onerror: (error) => ctx.log.debug({ requestId: ctx.requestId, err: error }, "MCP request refused"),
  });
  const response = await handler.fetch(request, { parsedBody: body });
  const sessionId = response.ok ? createSessionId(body) : undefined;
  if (sessionId) response.headers.set(sessionHeader, sessionId);
  return response;
}

/** A web page of another site may not call the endpoint, even when it has a token. Programs send no `Origin`. */
function checkOrigin({ config: { publicUrl, corsOrigins } }: MemberCtx, { headers }: Request): void {
  const origin = headers.get("origin");
  if (origin === null || origin === new URL(publicUrl).origin || corsOrigins.includes(origin)) return;
  throw forbidden(
    "origin_not_allowed",
    "Web pages of this origin may not call this instance. Its operator can add the origin to CORS_ORIGINS.",
  );
}

function checkBatch(body: unknown): void {
  if (Array.isArray(body) && body.length > limits.batch)
    throw invalidRequest([{ message: `A batch has at most ${limits.batch} messages.` }]);
}

const listingNames: readonly string[] = listings;
const isListing = (text: string): text is Listing => listingNames.includes(text);

/** Which tools are listed: `?tools=` or the header, for clients that cannot change the address. */
function readListing({ url, headers }: Request): Listing | undefined {
  const asked = url.includes("?") ? new URL(url).searchParams.get("tools") : null;
  const given = asked ?? headers.get("x-signalbox-tools");
  if (given === null || isListing(given)) return given ?? undefined;
  throw invalidRequest([{ message: `Must be one of ${listings.join(", ")}.`, path: ["tools"] }]);
}

const Cancelled = z.looseObject({
  method: z.literal("notifications/cancelled"),
  params: z.looseObject({ requestId: z.union([z.string(), z.number()]) }),
});

/** Cancellations and answers of a 2025-era client belong to a call that may run in another process. */
async function passOn({ ctx, session }: Exchange, body: unknown): Promise<void> {
  if (!session) return;
  for (const message of [body].flat()) {
    const cancelled = Cancelled.safeParse(message).data;
    if (cancelled)
      await ctx.state.get(callsInProgress).cancel(nameCall(ctx, session, cancelled.params.requestId));
    if (isAnswer(message)) await ctx.state.get(questions).answer(nameAsker(ctx, session), message);
  }
}
