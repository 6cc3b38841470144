import type { Tool } from "@modelcontextprotocol/server";
import type { MemberCtx } from "../../../platform/context.ts";
import {
  type CallableTool,
  callTool,
  findCallable,
  listTools,
  listUsable,
  readExposedName,
  type UsableConnection,
  type UsableTool,
} from "../../mcp-connections/index.ts";
import { type Exchange, hasScope } from "../exchange.ts";
import { withoutOwnMeta } from "../results.ts";
import type { Capability } from "./capability.ts";

/** The tools of all connections that the caller may use, and that its scopes allow. */
export async function listConnectedCapabilities(exchange: Exchange): Promise<Capability[]> {
  const { ctx } = exchange;
  const connections = await listUsable(ctx);
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  return (await listTools(ctx, connections))
    .flatMap((tool) => {
      const connection = byId.get(tool.connectionId);
      return (connection && tool.listed && toCapability(ctx, connection, tool)) || [];
    })
    .filter(({ isReadOnly }) => hasScope(exchange, isReadOnly));
}

/** Also finds tools that no list shows. The name begins with the prefix of the connection. */
export async function findConnectedCapability(
  { ctx }: Exchange,
  name: string,
): Promise<Capability | undefined> {
  const parts = readExposedName(name);
  if (parts) {
    const found = await findCallable(ctx, parts);
    return found && toCapability(ctx, found.connection, found.tool, found.facts);
  }
  const connections = (await listUsable(ctx)).filter(({ slug }) => name.startsWith(`${slug}__`));
  const tool = (await listTools(ctx, connections)).find(({ exposedName }) => exposedName === name);
  const connection = connections.find(({ id }) => id === tool?.connectionId);
  return tool && connection && toCapability(ctx, connection, tool);
}

/** `facts` are what decides about a call, if they were read just now. */
function toCapability(
  ctx: MemberCtx,
  connection: UsableConnection,
  tool: UsableTool,
  facts?: CallableTool["facts"],
): Capability | undefined {
  const definition = toDefinition(tool);
  if (!definition) return undefined;
  return {
    tool: definition,
    isReadOnly: tool.annotations?.readOnlyHint === true,
    connection: connection.name,
    problem: tool.why && describeProblem(tool.why, connection),
    call: async (args, { signal, onProgress, onElicit, onSample, client }) =>
      withoutOwnMeta(
        await callTool(ctx, connection, tool.name, args, {
          signal,
          onProgress,
          onElicit,
          onSample,
          client,
          attempt: ctx.caller.attempt,
          facts,
        }),
      ),
  };
}

const isToolSchema = (schema: Record<string, unknown>): schema is Tool["inputSchema"] =>
  schema.type === "object";

/** Undefined when the server describes its arguments in a way that the protocol does not know. */
function toDefinition({
  exposedName,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: UsableTool) {
  if (!isToolSchema(inputSchema)) return undefined;
  const tool: Tool = {
    name: exposedName,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema && isToolSchema(outputSchema) ? { outputSchema } : {}),
    ...(annotations ? { annotations } : {}),
  };
  return tool;
}

function describeProblem(why: NonNullable<UsableTool["why"]>, { name }: UsableConnection): string {
  switch (why) {
    case "held":
      return `${name} changed this tool after it was approved. An owner or admin must approve the change first.`;
    case "denied":
      return `The policy of ${name} does not allow this tool. An owner or admin can change the policy.`;
    case "needs_approval":
      return "Each call must be approved by an owner or admin. Execute it to ask for the approval.";
    case "removed":
      return `${name} does not offer this tool any more.`;
  }
}
