import type { ToolDefinition } from "../contract.ts";
import { canonicalize, isObject } from "../definitions/index.ts";

export interface FieldChange {
  field: string;
  change: "added" | "removed" | "changed";
  before: unknown;
  after: unknown;
}

const maxChanges = 200;

/** In the order in which people read a tool. */
const fields = ["title", "description", "annotations", "inputSchema", "outputSchema"] as const;

/** The differences between two definitions, field by field. Lists are compared as a whole. */
export function listChanges(
  before: ToolDefinition | null,
  after: ToolDefinition | null,
): { changes: FieldChange[]; isCut: boolean } {
  const changes: FieldChange[] = [];
  if (before && after && before.name !== after.name)
    changes.push({ field: "name", change: "changed", before: before.name, after: after.name });
  for (const field of fields) collect(field, before?.[field], after?.[field], changes);
  if (changes.length === 0 && before && after)
    changes.push({ field: "definition", change: "changed", before: null, after: explanation });
  return { changes: changes.slice(0, maxChanges), isCut: changes.length > maxChanges };
}

const explanation =
  "Only the order of a list differs, or text that cannot be shown, or the server lists the name more than once.";

function collect(field: string, before: unknown, after: unknown, changes: FieldChange[]): void {
  if (changes.length > maxChanges || (before === undefined && after === undefined)) return;
  if (before === undefined) changes.push({ field, change: "added", before: null, after });
  else if (after === undefined) changes.push({ field, change: "removed", before, after: null });
  else if (canonicalize(before) === canonicalize(after)) return;
  else if (!isObject(before) || !isObject(after)) changes.push({ field, change: "changed", before, after });
  else
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      collect(join(field, key), read(before, key), read(after, key), changes);
}

/** An own field only: `constructor` and `__proto__` are ordinary names here. */
const read = (value: Record<string, unknown>, key: string) =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const join = (path: string, key: string) =>
  /^[A-Za-z_$][\w$-]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
