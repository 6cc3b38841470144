import type {
  CallToolResult,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  LoggingMessageNotification,
  Progress,
  Tool,
} from "@modelcontextprotocol/client";
import type { OrgId, Platform } from "../../../platform/context.ts";
import type { Id } from "../../../platform/ids.ts";

/** Where a request is sent. */
export interface UpstreamTarget {
  id: Id<"mcn">;
  orgId: OrgId;
  url: string;
  /** The revision that the server spoke last. Null when it is not known. */
  protocolVersion: string | null;
}

/** What the server may send while a call runs. A request without a callback is refused, and is not declared. */
export interface UpstreamCallbacks {
  onProgress?: ((progress: Progress) => void) | undefined;
  onLog?: ((message: LoggingMessageNotification["params"]) => void) | undefined;
  onElicit?: ((request: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>) | undefined;
  onSample?:
    | ((request: CreateMessageRequest["params"], signal: AbortSignal) => Promise<CreateMessageResult>)
    | undefined;
}

export interface UpstreamLimits {
  /** One deadline for everything that the operation needs: session, listing and call. */
  timeoutMs: number;
  /** Decoded bytes of all replies of the operation. */
  maxResultBytes: number;
}

export interface UpstreamOptions extends UpstreamLimits {
  signal?: AbortSignal | undefined;
}

export interface UpstreamListing {
  tools: Tool[];
  instructions: string | null;
  protocolVersion: string;
  serverName: string | null;
}

export interface UpstreamCall extends UpstreamOptions, UpstreamCallbacks {
  tool: string;
  args: Record<string, unknown>;
  /** The tool as it is known, for headers that its schema asks for. The listing comes first. */
  definition?: Tool | undefined;
  /**
   * When it is given, the tools are listed in the same session before the call, and the call is sent only if this
   * resolves. What it throws is thrown by the operation.
   */
  checkListing?: ((listing: UpstreamListing) => Promise<void>) | undefined;
  /** The last step before the call is sent. What it throws is thrown by the operation. */
  beforeCall?: (() => Promise<void>) | undefined;
}

export interface UpstreamResult {
  result: CallToolResult;
  /** The size of the result as JSON. */
  resultBytes: number;
  protocolVersion: string;
}

export type UpstreamPlatform = Pick<Platform, "egress" | "state">;
