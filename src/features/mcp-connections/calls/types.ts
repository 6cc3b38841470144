import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import type { MemberCtx, Platform } from "../../../platform/context.ts";
import type { UsableConnection } from "../model.ts";
import type { UpstreamCallbacks, UpstreamChallenge, UpstreamListing } from "../upstream/index.ts";

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
}

export type CallResult = CallToolResult;

/** What the other parts of the room decide about a call. */
export interface CallGate {
  /** Throws a refusal when the policy does not allow the call. */
  checkCall(
    ctx: MemberCtx,
    connection: UsableConnection,
    tool: string,
    args: unknown,
    options: { runId: string | null },
  ): Promise<{ definition: Omit<Tool, "outputSchema">; mustList: boolean }>;
  /** Throws a refusal when the tool is not what was approved, according to a listing of the same session. */
  confirmTool(
    ctx: MemberCtx,
    connection: UsableConnection,
    tool: string,
    listing: UpstreamListing,
  ): Promise<void>;
  recordListing(platform: Platform, connection: UsableConnection, listing: UpstreamListing): Promise<unknown>;
  /**
   * The headers that the server expects. `refused` are headers that it has just refused: a token is then renewed if it
   * is still the stored one. Throws a refusal when the member must sign in.
   */
  findHeaders(
    ctx: MemberCtx,
    connection: UsableConnection,
    options?: { refused: Record<string, string> },
  ): Promise<Record<string, string>>;
  reportChallenge(ctx: MemberCtx, connection: UsableConnection, challenge: UpstreamChallenge): Promise<void>;
  reportWorked(ctx: MemberCtx, connection: UsableConnection): void;
}
