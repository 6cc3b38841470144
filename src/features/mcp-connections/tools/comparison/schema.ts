import { canonicalize, isObject } from "../definitions/index.ts";

/** How a schema changed: it accepts more, it accepts less, something else, or only texts for people and agents. */
export type SchemaChange = "widened" | "narrowed" | "changed" | "text";

type Schema = Record<string, unknown>;

/** Texts that agents read. A changed text can mislead an agent as much as a changed description. */
const texts = new Set(["description", "title", "$comment", "examples", "deprecated", "default"]);

/** Limits where a lower number accepts more. The others accept more with a higher one. */
const lowerAcceptsMore = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
  "minContains",
]);
const higherAcceptsMore = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
  "maxContains",
]);
/** Keywords that hold schemas by name. */
const schemasByName = new Set(["$defs", "definitions", "patternProperties", "dependentSchemas"]);
const schemaKeywords = new Set([
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
]);

const same = (one: unknown, other: unknown) =>
  one === undefined || other === undefined ? one === other : canonicalize(one) === canonicalize(other);

/** The kinds of change between two schemas. Swapping them swaps `widened` and `narrowed`. */
export const compareSchemas = (before: unknown, after: unknown): Set<SchemaChange> =>
  new Set(compare(before, after));

function compare(before: unknown, after: unknown): SchemaChange[] {
  if (same(before, after)) return [];
  // `true` accepts everything, `false` nothing.
  const from = before === true ? {} : before;
  const to = after === true ? {} : after;
  if (from === false || to === false) return [to === false ? "narrowed" : "widened"];
  if (!isObject(from) || !isObject(to)) return ["changed"];
  return listKeys(from, to).flatMap((key) =>
    same(readOwn(from, key), readOwn(to, key)) ? [] : compareKeyword(key, from, to),
  );
}

/** Without what every object inherits: a schema may use a keyword such as `toString`. */
const readOwn = (schema: Schema, key: string) => (Object.hasOwn(schema, key) ? schema[key] : undefined);

const listKeys = (from: Schema, to: Schema) => [...new Set([...Object.keys(from), ...Object.keys(to)])];

function compareKeyword(key: string, from: Schema, to: Schema): SchemaChange[] {
  const [before, after] = [readOwn(from, key), readOwn(to, key)];
  if (texts.has(key)) return ["text"];
  if (key === "properties") return compareProperties(from, to);
  if (key === "required") return compareRequired(from, to);
  if (key === "type") return compareSets(toTypes(before), toTypes(after));
  if (key === "enum" || key === "anyOf") return compareSets(toSet(before), toSet(after));
  if (key === "allOf") return compareSets(toSet(after) ?? new Set(), toSet(before) ?? new Set());
  if (schemasByName.has(key)) return compareNamed(before, after);
  if (schemaKeywords.has(key)) return compare(before ?? true, after ?? true);
  if (before === undefined) return ["narrowed"];
  if (after === undefined) return ["widened"];
  const isLimit = lowerAcceptsMore.has(key) || higherAcceptsMore.has(key);
  if (isLimit && typeof before === "number" && typeof after === "number")
    return [after > before === higherAcceptsMore.has(key) ? "widened" : "narrowed"];
  return ["changed"];
}

/** A new optional property accepts more. A new required one breaks earlier calls too. */
function compareProperties(from: Schema, to: Schema): SchemaChange[] {
  const before = isObject(from.properties) ? from.properties : {};
  const after = isObject(to.properties) ? to.properties : {};
  const requiredBefore = toNames(from.required);
  const requiredAfter = toNames(to.required);
  return listKeys(before, after).flatMap((name): SchemaChange[] => {
    const [wasThere, isThere] = [Object.hasOwn(before, name), Object.hasOwn(after, name)];
    if (wasThere && isThere) return compare(before[name], after[name]);
    if (isThere) return [requiredAfter.has(name) ? "changed" : "widened"];
    return [requiredBefore.has(name) ? "changed" : "narrowed"];
  });
}

function compareRequired(from: Schema, to: Schema): SchemaChange[] {
  const [before, after] = [toNames(from.required), toNames(to.required)];
  return [
    ...(isSubset(after, before) ? [] : (["narrowed"] as const)),
    ...(isSubset(before, after) ? [] : (["widened"] as const)),
  ];
}

function compareNamed(before: unknown, after: unknown): SchemaChange[] {
  const from = isObject(before) ? before : {};
  const to = isObject(after) ? after : {};
  return listKeys(from, to).flatMap((name): SchemaChange[] =>
    Object.hasOwn(from, name) && Object.hasOwn(to, name) ? compare(from[name], to[name]) : ["changed"],
  );
}

/** Sets of accepted values. Undefined accepts everything. */
function compareSets(before: Set<string> | undefined, after: Set<string> | undefined): SchemaChange[] {
  if (!before || !after) return before === after ? [] : [after ? "narrowed" : "widened"];
  const [acceptsMore, acceptsLess] = [isSubset(before, after), isSubset(after, before)];
  // The same values in another order accept the same.
  if (acceptsMore && acceptsLess) return [];
  return [acceptsMore ? "widened" : acceptsLess ? "narrowed" : "changed"];
}

const isSubset = (part: Set<string>, whole: Set<string>) => [...part].every((value) => whole.has(value));

const toSet = (value: unknown) =>
  Array.isArray(value) ? new Set(value.map((item) => canonicalize(item))) : undefined;

const toNames = (value: unknown) =>
  new Set(Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : []);

/** Every integer is a number. */
function toTypes(value: unknown): Set<string> | undefined {
  if (value === undefined) return undefined;
  const types = new Set((Array.isArray(value) ? value : [value]).map(String));
  if (types.has("number")) types.add("integer");
  return types;
}
