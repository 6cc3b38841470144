import { type Exchange, hasScope } from "../exchange.ts";
import { type OwnTool, ownTools } from "../own-tools/index.ts";
import { toResult } from "../results.ts";
import type { Capability } from "./capability.ts";

/** The tools of the control plane that the caller has the rights for. */
export const listOwnCapabilities = (exchange: Exchange): Capability[] =>
  ownTools
    .filter((tool) => hasScope(exchange, isReadOnly(tool)) && tool.mayCall(exchange.ctx))
    .map((tool) => toCapability(exchange, tool));

/** Also finds a tool that is not listed for the caller, so that the call is refused with the reason. */
export function findOwnCapability(exchange: Exchange, name: string): Capability | undefined {
  const tool = ownTools.find((tool) => tool.name === name);
  return tool && toCapability(exchange, tool);
}

const isReadOnly = ({ annotations }: OwnTool) => annotations.readOnlyHint === true;

const toCapability = ({ ctx }: Exchange, tool: OwnTool): Capability => ({
  tool: {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    annotations: { title: tool.title, ...tool.annotations },
  },
  isReadOnly: isReadOnly(tool),
  connection: null,
  problem: undefined,
  call: async (args, options) => toResult(await tool.call(ctx, args, options)),
});
