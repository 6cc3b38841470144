/** A value that cannot be a part of a definition: too deep, or no JSON. */
export class DefinitionError extends Error {}

/** Deeper schemas are refused, so that no function that walks a definition needs much stack. */
export const maxDepth = 64;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * JSON as RFC 8785 defines it: keys sorted by UTF-16 code units, no spaces, numbers as in ECMAScript. A lone surrogate
 * is written as an escape, so that different texts stay different. Fields that are undefined are left out.
 */
export function canonicalize(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw new DefinitionError(`It is nested deeper than ${maxDepth} levels.`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalize(item, depth + 1)).join(",")}]`;
  if (isObject(value)) {
    const fields = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalize(value[key], depth + 1)}`);
    return `{${fields.join(",")}}`;
  }
  if (typeof value === "number" && !Number.isFinite(value))
    throw new DefinitionError("It has a number that is not finite.");
  const text = JSON.stringify(value);
  if (typeof text !== "string" || typeof value === "bigint")
    throw new DefinitionError("It has a value that is not JSON.");
  return text;
}

/** Replaces what the database cannot store. Keys such as `__proto__` stay ordinary keys. */
export function makeStorable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "\ufffd").toWellFormed();
  if (Array.isArray(value)) return value.map(makeStorable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [String(makeStorable(key)), makeStorable(field)]),
  );
}
