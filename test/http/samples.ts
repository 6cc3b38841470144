import fc from "fast-check";
import { z } from "zod";

/** As much of JSON Schema as our contracts use. */
export interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  format?: string;
  $ref?: string;
  $defs?: Record<string, Schema>;
}

export const toSchema = (body: z.ZodType): Schema => z.toJSONSchema(body, { io: "input" }) as Schema;

/** The smallest value that a schema should accept. */
export function createSample(schema: Schema, root = schema): unknown {
  if (schema.$ref) return createSample(root.$defs![schema.$ref.replace("#/$defs/", "")]!, root);
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const option = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (option) return createSample(option, root);
  switch (listTypes(schema)[0]) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, createSample(schema.properties![name]!, root)]),
      );
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => createSample(schema.items!, root));
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      if (schema.format === "email") return `sample-${Math.random().toString(36).slice(2)}@example.com`;
      // A port that the guard refuses: routes that call out are walked without a byte leaving the machine.
      if (schema.format === "uri") return "https://127.0.0.1:9/";
      return "sample ".repeat(100).slice(0, Math.max(6, schema.minLength ?? 0));
  }
}

const listTypes = (schema: Schema): string[] => [schema.type ?? []].flat();

const examples: Record<string, unknown> = {
  string: "text",
  number: 1.5,
  boolean: true,
  null: null,
  array: [[]],
  object: { a: 1 },
};

/** Which kinds of value a schema takes at all; undefined when it takes any. */
function listAllowedKinds(schema: Schema, root: Schema): Set<string> | undefined {
  if (schema.$ref) return listAllowedKinds(root.$defs![schema.$ref.replace("#/$defs/", "")]!, root);
  if ("const" in schema) return new Set([findKind(schema.const)]);
  if (schema.enum) return new Set(schema.enum.map(findKind));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) {
    const kinds = options.map((option) => listAllowedKinds(option, root));
    return kinds.some((one) => one === undefined) ? undefined : new Set(kinds.flatMap((one) => [...one!]));
  }
  const types = listTypes(schema);
  return types.length ? new Set(types.map((type) => (type === "integer" ? "number" : type))) : undefined;
}

const findKind = (value: unknown) =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** Every property of a body in turn with a value of each kind that it does not take. */
export function* listWrongBodies(schema: Schema): Generator<{ what: string; body: unknown }> {
  const good = createSample(schema) as Record<string, unknown>;
  for (const [kind, value] of Object.entries(examples)) {
    if (kind !== "object") yield { what: `the body is ${kind}`, body: value };
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const kinds = listAllowedKinds(property, schema);
    for (const [kind, value] of Object.entries(examples)) {
      if (kinds && !kinds.has(kind)) yield { what: `${name} is ${kind}`, body: { ...good, [name]: value } };
    }
  }
  for (const name of schema.required ?? []) {
    const { [name]: _, ...rest } = good;
    yield { what: `${name} is missing`, body: rest };
  }
}

/** All text fields of a body. `bodyWith` returns the body as JSON with `json` as the value of that field. */
export function listTextPaths(schema: Schema): { place: string; bodyWith(json: string): string }[] {
  const mark = "\u2400";
  return [...marked(schema, schema, mark)].map(({ place, value }) => ({
    place,
    bodyWith: (json) => JSON.stringify(value).replace(`"${mark}"`, () => json),
  }));
}

/** Yields the smallest valid value once for each text in it, with that text replaced by the mark. */
function* marked(schema: Schema, root: Schema, mark: string): Generator<{ place: string; value: unknown }> {
  if (schema.$ref) {
    yield* marked(root.$defs![schema.$ref.replace("#/$defs/", "")]!, root, mark);
    return;
  }
  for (const option of schema.anyOf ?? schema.oneOf ?? []) yield* marked(option, root, mark);
  const types = listTypes(schema);
  if (types.includes("string")) yield { place: "", value: mark };
  if (types.includes("array") && schema.items) {
    for (const { place, value } of marked(schema.items, root, mark)) {
      yield { place: `[]${place}`, value: [value] };
    }
  }
  if (!types.includes("object")) return;
  const good = createSample({ ...schema, anyOf: undefined, oneOf: undefined }, root) as object;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    for (const { place, value } of marked(property, root, mark)) {
      yield { place: `.${name}${place}`, value: { ...good, [name]: value } };
    }
  }
}

const hostileText = fc.oneof(
  fc.constantFrom(
    "\0",
    "\ud800",
    "'; drop table users; --",
    "%s%n{{7*7}}",
    "\r\nx-injected: 1",
    "\u202e\u200b",
    "𝕊\u0301".repeat(40),
    "x".repeat(100_000),
    "__proto__",
    "null",
    "1e309",
  ),
  fc.string({ unit: "binary" }),
  fc.string(),
);
const hostileNumber = fc.constantFrom(
  -1,
  -0,
  0.1,
  1e300,
  -1e300,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  Number.MAX_VALUE,
  Number.MIN_VALUE,
);
const hostileValue = fc.oneof(
  hostileText,
  hostileNumber,
  fc.array(hostileText, { maxLength: 5 }),
  fc.dictionary(hostileText, hostileNumber, { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A body that was well-formed until somebody put something of their own into it. */
export const createHostileBody = (schema: Schema): fc.Arbitrary<unknown> => {
  const names = Object.keys(schema.properties ?? {});
  return fc
    .tuple(fc.constantFrom(...names, "__proto__", "constructor", ""), hostileValue)
    .map(([name, value]) =>
      Object.defineProperty({ ...(createSample(schema) as object) }, name, { value, enumerable: true }),
    );
};
