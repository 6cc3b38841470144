import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { conflict, notFound, Refusal } from "../../../platform/errors.ts";
import { checkInput } from "../../../platform/http/index.ts";
import { type CallOptions, checkScope, type Exchange, hasScope } from "../exchange.ts";
import { toErrorResult } from "../results.ts";
import { recordExecution } from "../run-events.ts";
import { defineSchema } from "../schemas.ts";
import { checkArguments } from "./arguments.ts";
import type { Capability } from "./capability.ts";
import { findByName } from "./catalogue.ts";

const Input = z.strictObject({
  name: z.string().min(1).max(200).describe("The name of the capability, from search_capabilities."),
  arguments: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Its arguments, as its inputSchema says."),
});

const tool: Tool = {
  name: "execute_capability",
  title: "Execute a capability",
  description:
    "Calls a tool that search_capabilities found. The result is that of the tool. The same rules apply as for a direct call.",
  inputSchema: defineSchema(Input, "input"),
};

/** For a credential that may only read, executing is reading too. */
export function createExecute(exchange: Exchange): Capability {
  const isReadOnly = !hasScope(exchange, false);
  return {
    tool: {
      ...tool,
      annotations: {
        title: "Execute a capability",
        readOnlyHint: isReadOnly,
        ...(isReadOnly ? {} : { destructiveHint: true }),
        openWorldHint: true,
      },
    },
    isReadOnly,
    connection: null,
    problem: undefined,
    async call(args, options) {
      const { name, arguments: inner } = checkInput(Input, args);
      const capability = await findByName(exchange, name);
      if (!capability) throw notFound("capability");
      return executeCapability(exchange, capability, inner, options);
    },
  };
}

const cancelled = () => conflict("mcp_call_cancelled", "The caller cancelled the call or left.");

/** The one way to execute a capability, whether it is called by its name or through `execute_capability`. */
export async function executeCapability(
  exchange: Exchange,
  capability: Capability,
  args: unknown,
  options: CallOptions,
) {
  const { ctx } = exchange;
  const started = performance.now();
  const run = async () => {
    checkScope(exchange, capability.isReadOnly);
    checkArguments(capability.tool.inputSchema, args);
    return capability.call(args, options);
  };
  const result = await run().catch((error: unknown) =>
    toErrorResult(ctx, options.signal.aborted && !(error instanceof Refusal) ? cancelled() : error),
  );
  const durationMs = Math.round(performance.now() - started);
  const { tool, connection } = capability;
  await recordExecution(ctx, { name: tool.name, connection, result, durationMs });
  return result;
}
