import type { Tool } from "@modelcontextprotocol/server";
import {
  callTool,
  listTools,
  listUsable,
  type UsableConnection,
  type UsableTool,
} from "../../mcp-connections/index.ts";
import { type Exchange, hasScope } from "../exchange.ts";
import { withoutOwnMeta } from "../results.ts";
import type { Capability } from "./capability.ts";

/** The tools of all connections that the caller may use, and that its scopes allow. */
export async function listConnectedCapabilities(exchange: Exchange): Promise<Capability[]> {
  const connections = await listUsable(exchange.ctx);
  return (await listOf(exchange, connections)).filter(({ isReadOnly }) => hasScope(exchange, isReadOnly));
}

/** Also finds tools that no list shows. The name begins with the prefix of the connection. */
export async function findConnectedCapability(
  exchange: Exchange,
  name: string,
): Promise<Capability | undefined> {
  const connections = (await listUsable(exchange.ctx)).filter(({ slug }) => name.startsWith(`${slug}__`));
  return (await listOf(exchange, connections, true)).find(({ tool }) => tool.name === name);
}

async function listOf(
  { ctx }: Exchange,
  connections: readonly UsableConnection[],
  withHidden = false,
): Promise<Capability[]> {
  const byId = new Map(connections.map((connection) => [connection.id, connection]));
  const tools = await listTools(ctx, connections);
  return tools.flatMap((tool) => {
    const connection = byId.get(tool.connectionId);
    const definition = toDefinition(tool);
    if (!connection || !definition || !(tool.listed || withHidden)) return [];
    return [
      {
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
            }),
          ),
      } satisfies Capability,
    ];
  });
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
