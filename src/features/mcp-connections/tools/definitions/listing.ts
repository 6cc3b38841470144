import { createHash } from "node:crypto";
import type { ToolDefinition } from "../contract.ts";
import { canonicalize, DefinitionError, isObject, makeStorable } from "./canonical.ts";

/** What a server answers to `tools/list`, all pages together, and its instructions. Nothing in it is trusted. */
export interface ToolListing {
  tools: readonly unknown[];
  instructions?: string | null | undefined;
  protocolVersion?: string | null | undefined;
}

/** A definition as it is stored, and the hash of what the server sent. */
export interface HashedTool {
  definition: ToolDefinition;
  hash: string;
}

export interface NormalizedListing {
  /** By name, sorted. */
  tools: Map<string, HashedTool>;
  instructions: { text: string; hash: string } | null;
  /** How many tools are not kept, and why not, for people. */
  omitted: number;
  problems: string[];
}

/** What is kept of one server. Tools beyond it are left out and cannot be called. */
export const listingLimits = {
  tools: 2_000,
  toolBytes: 256 * 1024,
  totalBytes: 8 * 1024 * 1024,
  nameLength: 256,
  instructionsLength: 64 * 1024,
  problems: 20,
};

const fields = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"] as const;

const hash = (domain: string, text: string) =>
  createHash("sha256").update(`signalbox ${domain} v1\n`).update(text).digest("hex");

/** Sorted by name and cut to the limits. The order of the server does not matter, so it may change freely. */
export function normalizeListing({ tools, instructions }: ToolListing): NormalizedListing {
  const problems: string[] = [];
  let omitted = 0;
  const omit = (reason: string, count = 1) => {
    omitted += count;
    if (problems.length < listingLimits.problems) problems.push(reason);
  };
  const byName = new Map<string, { raw: Record<string, unknown>; texts: string[] }>();
  /** Names with a definition that cannot be kept. Another one with the same name could hide it. */
  const unusable = new Set<string>();
  for (const tool of tools) {
    const name = isObject(tool) ? tool.name : undefined;
    if (!isObject(tool) || typeof name !== "string" || !isUsableName(name)) {
      omit("A tool has no usable name.");
      continue;
    }
    try {
      const raw = Object.fromEntries(fields.map((field) => [field, tool[field]]));
      const text = canonicalize(raw);
      if (text.length > listingLimits.toolBytes) throw new DefinitionError("It is too large.");
      const known = byName.get(name);
      if (!known) byName.set(name, { raw, texts: [text] });
      else if (!known.texts.includes(text)) known.texts.push(text);
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      omit(`${name}: ${error.message}`);
      unusable.add(name);
    }
  }
  for (const name of unusable) byName.delete(name);
  const kept = new Map<string, HashedTool>();
  let bytes = 0;
  for (const [name, { raw, texts }] of [...byName].sort(([one], [other]) => (one < other ? -1 : 1))) {
    bytes += texts.reduce((sum, text) => sum + text.length, 0);
    if (kept.size >= listingLimits.tools || bytes > listingLimits.totalBytes) {
      omit("There are too many tools.", byName.size - kept.size);
      break;
    }
    // A name that is listed twice has one hash over all its definitions, because any of them may answer.
    kept.set(name, { definition: toDefinition(name, raw), hash: hash("mcp tool", texts.join("\n")) });
  }
  return { tools: kept, instructions: readInstructions(instructions), omitted, problems };
}

/** A name that the database can store and compare. */
const isUsableName = (name: string) =>
  name.length > 0 && name.length <= listingLimits.nameLength && !name.includes("\0") && name.isWellFormed();

function toDefinition(name: string, raw: Record<string, unknown>): ToolDefinition {
  const { title, description, inputSchema, outputSchema, annotations } = raw;
  const definition: ToolDefinition = { name, inputSchema: toObject(inputSchema) ?? {} };
  if (typeof title === "string") definition.title = String(makeStorable(title));
  if (typeof description === "string") definition.description = String(makeStorable(description));
  const output = toObject(outputSchema);
  if (output) definition.outputSchema = output;
  const hints = toObject(annotations);
  if (hints) definition.annotations = hints;
  return definition;
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  const storable = makeStorable(value);
  return isObject(storable) ? storable : undefined;
}

function readInstructions(instructions: string | null | undefined): NormalizedListing["instructions"] {
  if (typeof instructions !== "string" || instructions === "") return null;
  const text = String(makeStorable(instructions)).slice(0, listingLimits.instructionsLength).toWellFormed();
  return { text, hash: hash("mcp instructions", canonicalize(instructions)) };
}

/** Binds an approval to the arguments of one call. */
export const hashArguments = (args: unknown): string =>
  hash("mcp arguments", canonicalize(args === undefined ? {} : args));
