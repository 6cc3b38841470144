import type { CallToolResult } from "@modelcontextprotocol/client";
import type { MemberCtx, OrgId } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { Id } from "../../../platform/ids.ts";
import type { UpstreamCallbacks, UpstreamTarget } from "../upstream/index.ts";

export interface CallLimits {
  callsPerMinute: number;
  concurrency: number;
  timeoutSeconds: number;
  maxRequestBytes: number;
  maxResultBytes: number;
}

/** What a call needs to know about its connection. `UsableConnection` of `access` has all of it. */
export interface CallableConnection extends UpstreamTarget {
  name: string;
  slug: string;
  credential: "shared" | "per_member";
  limits: CallLimits;
  logPayloads: boolean;
  payloadDays: number;
}

export interface CallOptions extends UpstreamCallbacks {
  /** Aborts when the caller leaves or cancels. The server is told with `notifications/cancelled`. */
  signal: AbortSignal;
  runId?: string | undefined;
  /** The attempt of the run. */
  attempt?: number | undefined;
  /** What the MCP client calls itself, such as `claude-code 2.1`. */
  client?: string | undefined;
}

/**
 * Executes a tool and logs the call. Throws a `Refusal` when the call did not reach the tool: not allowed, a limit, a
 * sign-in that is missing, a server that failed. A result with `isError` is the tool's own answer.
 */
export type CallTool = (
  ctx: MemberCtx,
  connection: CallableConnection,
  tool: string,
  args: unknown,
  options: CallOptions,
) => Promise<CallToolResult>;

/** Counts the calls of each connection since a time, in milliseconds since 1970. */
export type CountCallsSince = (
  db: Db,
  orgId: OrgId,
  sinceMs: number,
) => Promise<ReadonlyMap<Id<"mcn">, number>>;
