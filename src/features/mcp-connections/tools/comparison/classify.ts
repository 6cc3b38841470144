import { type DriftKind, driftKinds, type Severity, type ToolDefinition } from "../contract.ts";
import { canonicalize } from "../definitions/index.ts";
import { compareSchemas } from "./schema.ts";

/** Hints, and the value that a client must assume when a hint is missing (MCP, ToolAnnotations). */
const hintDefaults = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;
type Hint = keyof typeof hintDefaults;
const hintNames: readonly Hint[] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/** The value of a hint that makes a tool more dangerous. */
const dangerousValue: Record<Hint, boolean> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

const readHint = ({ annotations }: ToolDefinition, name: Hint): boolean => {
  const value = annotations?.[name];
  return typeof value === "boolean" ? value : hintDefaults[name];
};

const same = (one: unknown, other: unknown) => canonicalize(one ?? null) === canonicalize(other ?? null);

/** What changed between two definitions of a tool whose hashes differ. Worst first, never empty. */
export function classifyChange(before: ToolDefinition, after: ToolDefinition): DriftKind[] {
  const kinds = new Set<DriftKind>();
  if (before.title !== after.title || before.description !== after.description) kinds.add("text_changed");
  classifyAnnotations(before, after, kinds);
  const changes = new Set([
    ...compareSchemas(before.inputSchema, after.inputSchema),
    ...compareSchemas(before.outputSchema, after.outputSchema),
  ]);
  if (changes.has("text")) kinds.add("text_changed");
  const isMixed = changes.has("widened") && changes.has("narrowed");
  if (changes.has("changed") || isMixed) kinds.add("schema_changed");
  else if (changes.has("widened")) kinds.add("schema_widened");
  else if (changes.has("narrowed")) kinds.add("schema_narrowed");
  // The hashes differ, but nothing above does: another order in a list, or text that cannot be stored.
  if (kinds.size === 0) kinds.add("schema_changed");
  return sortKinds(kinds);
}

function classifyAnnotations(before: ToolDefinition, after: ToolDefinition, kinds: Set<DriftKind>): void {
  const isFlipped = hintNames.some((name) => !same(before.annotations?.[name], after.annotations?.[name]));
  if (isFlipped) kinds.add("hint_flipped");
  const rest = ({ annotations = {} }: ToolDefinition) =>
    Object.fromEntries(Object.entries(annotations).filter(([name]) => !Object.hasOwn(hintDefaults, name)));
  if (!same(rest(before), rest(after))) kinds.add("text_changed");
}

/** Whether a hint now says that the tool does more harm than the approved one. */
const isMoreDangerous = (before: ToolDefinition, after: ToolDefinition): boolean =>
  hintNames.some(
    (name) =>
      readHint(before, name) !== readHint(after, name) && readHint(after, name) === dangerousValue[name],
  );

const sortKinds = (kinds: Iterable<DriftKind>): DriftKind[] => {
  const found = new Set(kinds);
  return driftKinds.filter((kind) => found.has(kind));
};

const severities: Record<DriftKind, Severity> = {
  hint_flipped: "low",
  renamed: "high",
  instructions_changed: "medium",
  text_changed: "medium",
  schema_changed: "medium",
  schema_widened: "medium",
  schema_narrowed: "low",
  added: "medium",
  removed: "low",
};

export function findSeverity(
  kinds: readonly DriftKind[],
  before: ToolDefinition | null,
  after: ToolDefinition | null,
): Severity {
  if (before && after && kinds.includes("hint_flipped") && isMoreDangerous(before, after)) return "high";
  const found = new Set(kinds.map((kind) => severities[kind]));
  return found.has("high") ? "high" : found.has("medium") ? "medium" : "low";
}
