import { type BoundFilter, type Condition, foldCase, type Step } from "./bind.ts";
import type { FilterValue } from "./parse.ts";

/** The values at the end of the steps. Absent values are not among them. */
function collect(value: unknown, steps: readonly Step[]): unknown[] {
  let values = [value];
  for (const { name, isList } of steps)
    values = values.flatMap((one) => {
      const inner = (one as Record<string, unknown> | null | undefined)?.[name];
      if (inner === undefined || inner === null) return [];
      return isList ? (inner as unknown[]) : [inner];
    });
  return values;
}

function toOperand({ type, caseExact }: Condition["attribute"], value: unknown): FilterValue {
  if (type === "dateTime" && typeof value === "string") return Date.parse(value);
  return typeof value === "string" && !caseExact ? foldCase(value) : (value as FilterValue);
}

/** Text is ordered by its bytes in UTF-8, as the database does. */
const order = (a: FilterValue, b: FilterValue): number =>
  typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : Number(a) - Number(b);

function compare(op: Condition["op"], found: FilterValue, value: FilterValue): boolean {
  switch (op) {
    case "eq":
      return found === value;
    case "ne":
      return found !== value;
    case "co":
      return String(found).includes(String(value));
    case "sw":
      return String(found).startsWith(String(value));
    case "ew":
      return String(found).endsWith(String(value));
    case "gt":
      return order(found, value) > 0;
    case "ge":
      return order(found, value) >= 0;
    case "lt":
      return order(found, value) < 0;
    case "le":
      return order(found, value) <= 0;
    case "pr":
      return true;
  }
}

/** A multi-valued attribute satisfies a condition if one of its values does. No value equals null. */
function satisfies({ op, steps, attribute, value }: Condition, resource: unknown): boolean {
  const found = collect(resource, steps);
  if (value === null && op === "eq") return found.length === 0;
  if (op === "ne" && value !== null && found.length === 0) return true;
  return found.some((one) => compare(op, toOperand(attribute, one), value));
}

/** Whether a resource, or one value of an attribute, satisfies the filter. */
export function matches(filter: BoundFilter, resource: unknown): boolean {
  switch (filter.op) {
    case "and":
      return filter.filters.every((one) => matches(one, resource));
    case "or":
      return filter.filters.some((one) => matches(one, resource));
    case "not":
      return !matches(filter.filter, resource);
    case "[]":
      return collect(resource, filter.steps).some((one) => matches(filter.filter, one));
    default:
      return satisfies(filter, resource);
  }
}
