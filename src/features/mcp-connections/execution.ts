import type { MemberCtx } from "../../platform/context.ts";
import { type CallGate, type CallOptions, type CallResult, executeCall } from "./calls/index.ts";
import { findHeaders, reportChallenge, reportWorked } from "./credentials/index.ts";
import type { UsableConnection } from "./model.ts";
import { checkCall, confirmTool, recordListing } from "./tools/index.ts";

/** What the parts of the room decide about a call. */
const gate: CallGate = {
  checkCall: async (ctx, connection, tool, args, options) => {
    const { definition, mustList } = await checkCall(ctx, connection, tool, args, options);
    const { name, inputSchema } = definition;
    return { definition: { name, inputSchema: { ...inputSchema, type: "object" } }, mustList };
  },
  confirmTool,
  recordListing,
  findHeaders,
  reportChallenge: async (ctx, connection, challenge) => {
    await reportChallenge(ctx, connection, challenge);
  },
  reportWorked,
};

/** Calls a tool of a connection that the caller may use. This is the only way to execute one. */
export const callTool = (
  ctx: MemberCtx,
  connection: UsableConnection,
  tool: string,
  args: unknown,
  options: CallOptions,
): Promise<CallResult> => executeCall(gate, ctx, connection, tool, args, options);
