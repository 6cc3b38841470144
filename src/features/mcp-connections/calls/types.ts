import type { CallToolResult } from "@modelcontextprotocol/client";
import type { CallableTool } from "../tools/index.ts";
import type { UpstreamCallbacks } from "../upstream/index.ts";

export interface CallOptions extends UpstreamCallbacks {
  /** Aborts when the caller leaves or cancels. The server is told with `notifications/cancelled`. */
  signal: AbortSignal;
  /** The run that calls. By default the run of the caller's credential. */
  runId?: string | undefined;
  /** The attempt of the run. */
  attempt?: number | undefined;
  /** What the MCP client calls itself, such as `claude-code 2.1`. */
  client?: string | undefined;
  /** The `traceparent` of the request, so that the span of the call belongs to its trace. */
  traceparent?: string | undefined;
  /** What the caller has just read about the tool. */
  facts?: CallableTool["facts"] | undefined;
}

export type CallResult = CallToolResult;
