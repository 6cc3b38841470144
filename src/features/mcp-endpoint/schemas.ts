import { isSpecType, type Tool } from "@modelcontextprotocol/server";
import { z } from "zod";

/** JSON Schema for tools of our own: draft 7, without `$schema`, so that clients of both eras validate with it. */
export function defineSchema(schema: z.ZodObject, io: "input" | "output"): Tool["inputSchema"] {
  // A schema with a name would become a reference, and the schema of a tool must not be one.
  const unnamed = io === "input" ? schema : z.strictObject(schema.shape);
  const { $schema: _, ...inputSchema } = z.toJSONSchema(unnamed, { io, target: "draft-7" });
  const tool: unknown = { name: "any", inputSchema };
  if (!isSpecType.Tool(tool)) throw new Error("The schema of a tool is an object.");
  return tool.inputSchema;
}
