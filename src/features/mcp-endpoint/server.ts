import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { MemberCtx } from "../../platform/context.ts";
import { toRefusal } from "../../platform/http/index.ts";
import { version } from "../../platform/version.ts";
import { callTool, listPage } from "./capabilities/index.ts";
import type { CallOptions, Exchange } from "./exchange.ts";
import { callsInProgress, nameCall } from "./sessions/index.ts";

const instructions =
  "Signalbox runs agents for an organization and holds its connections to outside MCP servers. " +
  "Tools that begin with signalbox__ belong to Signalbox itself. Tools of connections are named after their connection, " +
  "then two underscores, then the name of the tool. Not every tool is listed: search_capabilities finds all of them, and " +
  "execute_capability calls what it found.";

/** Creates the server for one request. All it knows is in the request and in the database. */
export function createServer(exchange: Exchange, era: "legacy" | "modern"): Server {
  const { ctx } = exchange;
  const server = new Server(
    { name: "signalbox", title: "Signalbox", version },
    {
      // Clients of the 2025 era would need a stream that stays open to hear about changes.
      capabilities: { tools: era === "modern" ? { listChanged: true } : {} },
      instructions,
    },
  );
  server.onerror = (error) => ctx.log.debug({ requestId: ctx.requestId, err: error }, "MCP message refused");
  server.setRequestHandler("tools/list", async ({ params }) => {
    try {
      return await listPage(exchange, params?.cursor);
    } catch (error) {
      throw toProtocolError(ctx, error);
    }
  });
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, request) => {
    const call = await whileInProgress(exchange, server, request, (options) =>
      callTool(exchange, name, args, options),
    ).catch((error: unknown) => {
      throw toProtocolError(ctx, error);
    });
    if (!call)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${name.slice(0, 200)}. tools/list and search_capabilities show the tools that you can use.`,
      );
    return server.projectCallToolResult(call.result, call.outputSchema);
  });
  return server;
}

/** What is refused outside of a tool is an error of the protocol. A fault of ours is not described. */
function toProtocolError({ requestId, log }: MemberCtx, error: unknown): ProtocolError {
  const { status, body, message } = toRefusal(error, requestId, log);
  const code = status === 400 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, message, body);
}

/** Passes progress and cancellation on. */
async function whileInProgress<T>(
  { ctx, session }: Exchange,
  server: Server,
  { mcpReq }: ServerContext,
  work: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const { progressToken } = mcpReq._meta ?? {};
  const call = session && ctx.state.get(callsInProgress).begin(nameCall(ctx, session, mcpReq.id));
  try {
    return await work({
      signal: call ? AbortSignal.any([mcpReq.signal, call.signal]) : mcpReq.signal,
      onProgress:
        progressToken === undefined
          ? undefined
          : (progress) =>
              void mcpReq
                .notify({ method: "notifications/progress", params: { ...progress, progressToken } })
                .catch(() => {}),
      client: session?.client ?? server.getClientVersion()?.name,
    });
  } finally {
    call?.end();
  }
}
