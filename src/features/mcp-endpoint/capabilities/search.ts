import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { checkInput } from "../../../platform/http/index.ts";
import type { Exchange } from "../exchange.ts";
import { toResult } from "../results.ts";
import { recordSearch } from "../run-events.ts";
import { defineSchema } from "../schemas.ts";
import type { Capability } from "./capability.ts";
import { listCapabilities } from "./catalogue.ts";
import { createRanking } from "./ranking.ts";

const maxSchemaBytes = 16 * 1024;
const maxDescription = 1_000;

const Input = z.strictObject({
  query: z
    .string()
    .max(500)
    .describe("What you want to do, in a few words. Empty: all capabilities, by name."),
  limit: z.int().min(1).max(50).default(10).describe("The maximum number of items to return."),
  offset: z.int().min(0).max(10_000).default(0).describe("How many of the best items to skip."),
});

const Output = z.object({
  items: z.array(
    z.object({
      name: z.string().describe("The name for execute_capability."),
      title: z.string().nullable(),
      description: z.string(),
      connection: z.string().nullable().describe("Its connection. Null: it belongs to Signalbox itself."),
      readOnly: z.boolean(),
      destructive: z.boolean(),
      inputSchema: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe("The arguments, as JSON Schema. Null when it is very long: tools/list has it."),
      executable: z.boolean().describe("Whether you can execute it now."),
      why: z.string().nullable().describe("Why it cannot be executed, and what a person must do."),
    }),
  ),
  total: z.int().describe("How many capabilities match."),
});

const tool: Tool = {
  name: "search_capabilities",
  title: "Search capabilities",
  description:
    "Finds tools by what they do: those of every connection that you may use, and those of Signalbox itself. Returns names and arguments for execute_capability.",
  inputSchema: defineSchema(Input, "input"),
  outputSchema: defineSchema(Output, "output"),
  annotations: {
    title: "Search capabilities",
    readOnlyHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
};

export const createSearch = (exchange: Exchange): Capability => ({
  tool,
  isReadOnly: true,
  connection: null,
  problem: undefined,
  async call(args) {
    const input = checkInput(Input, args);
    const found = rank(await listCapabilities(exchange), input.query);
    const items = found.slice(input.offset, input.offset + input.limit).map(toItem);
    await recordSearch(exchange.ctx, {
      query: input.query,
      results: items.map(({ name }) => name),
      total: found.length,
    });
    return toResult({ items, total: found.length });
  },
});

function rank(capabilities: readonly Capability[], query: string): Capability[] {
  if (query.trim() === "") return [...capabilities];
  const rate = createRanking(query);
  return capabilities
    .map((capability) => {
      const { name, title = "", description = "" } = capability.tool;
      const rating = rate({ name, title, description, connection: capability.connection ?? "signalbox" });
      return { capability, rating };
    })
    .filter(({ rating }) => rating > 0)
    .sort((a, b) => b.rating - a.rating)
    .map(({ capability }) => capability);
}

function toItem({
  tool,
  connection,
  isReadOnly,
  problem,
}: Capability): z.output<typeof Output>["items"][number] {
  const { name, title, description = "", inputSchema, annotations } = tool;
  return {
    name,
    title: title ?? annotations?.title ?? null,
    description: description.slice(0, maxDescription),
    connection,
    readOnly: isReadOnly,
    destructive: annotations?.destructiveHint === true,
    inputSchema: JSON.stringify(inputSchema).length > maxSchemaBytes ? null : inputSchema,
    executable: problem === undefined,
    why: problem ?? null,
  };
}
