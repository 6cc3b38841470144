import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { CallOptions } from "../exchange.ts";

/** Something that the caller can use: a tool of the control plane, or a tool of a connection. */
export interface Capability {
  tool: Tool;
  isReadOnly: boolean;
  /** The name of its connection. Null for tools of the control plane. */
  connection: string | null;
  /** Undefined when it can be executed now. */
  problem: string | undefined;
  call(args: unknown, options: CallOptions): Promise<CallToolResult>;
}
