import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { MemberCtx } from "../../platform/context.ts";
import { toRefusal } from "../../platform/http/index.ts";
import { version } from "../../platform/version.ts";
import { answerCall } from "./calls.ts";
import { listPage } from "./capabilities/index.ts";
import type { Exchange } from "./exchange.ts";
import { toErrorResult } from "./results.ts";

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
  const logRefusal = (error: Error) =>
    ctx.log.debug({ requestId: ctx.requestId, err: error }, "MCP message refused");
  server.onerror = logRefusal;
  server.setRequestHandler("tools/list", async ({ params }) => {
    try {
      return await listPage(exchange, params?.cursor);
    } catch (error) {
      throw toProtocolError(ctx, error);
    }
  });
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, request) => {
    try {
      const step = await answerCall(exchange, server, request, name, args);
      return "called" in step
        ? server.projectCallToolResult(step.called.result, step.called.outputSchema)
        : step.asked;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return toErrorResult(ctx, error);
    }
  });
  return server;
}

/** What is refused outside of a tool is an error of the protocol. A fault of ours is not described. */
function toProtocolError({ requestId, log }: MemberCtx, error: unknown): ProtocolError {
  const { status, body, message } = toRefusal(error, requestId, log);
  const code = status === 400 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, message, body);
}
