import type { Random } from "./random.ts";

/** As much of JSON Schema as the API description uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  example?: unknown;
  examples?: unknown[];
}

/** Values that broke other programs: injections, odd Unicode, numbers at their limits, keys with a meaning. */
export const hostileValues: readonly unknown[] = [
  "' OR 1=1 --",
  "'; DROP TABLE organizations; --",
  "$1",
  "%00",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e\u2066txt.exe",
  "\ufeff",
  "ﬀİı",
  "../../../../etc/passwd",
  "..%2f..%2f",
  "<script>alert(1)</script>",
  "{{7*7}}<%= 7*7 %>#{7*7}",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::ffff:127.0.0.1]:5432/",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "\r\nset-cookie: a=b",
  "__proto__",
  "constructor",
  "🙂".repeat(40),
  "x".repeat(5_000),
  "",
  " ",
  -1,
  0,
  -0,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  0.1,
  null,
  true,
  false,
  [],
  {},
  [[[[[[]]]]]],
  { __proto__: 1 },
  { constructor: { prototype: { admin: true } } },
  { $ne: null },
  { toString: 1, valueOf: 1, length: -1 },
  "9999-12-31T23:59:59.999Z",
  "0000-00-00T00:00:00Z",
  "2026-02-30T25:61:61Z",
];

/** A value that the schema should accept. */
export function createValid(
  random: Random,
  given: Schema,
  schemas: Record<string, Schema>,
  depth = 0,
): unknown {
  const schema = resolve(given, schemas);
  if ("const" in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return createValid(random, random.pick(options), schemas, depth + 1);
  if (schema.allOf) {
    return Object.assign({}, ...schema.allOf.map((part) => createValid(random, part, schemas, depth + 1)));
  }
  const example = schema.example ?? schema.examples?.[0];
  if (example !== undefined && typeof example !== "object" && random.chance(0.5)) return example;
  switch ([schema.type ?? "string"].flat()[0]) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) || (depth < 4 && random.chance(0.4)))
          .map(([name, inner]) => [name, createValid(random, inner, schemas, depth + 1)]),
      );
    case "array": {
      const min = schema.minItems ?? 0;
      const length = Math.min(schema.maxItems ?? 3, min + random.below(3));
      return Array.from({ length }, () => createValid(random, schema.items ?? {}, schemas, depth + 1));
    }
    case "integer":
    case "number": {
      const low = schema.minimum ?? 0;
      return Math.min(schema.maximum ?? low + 100, low + random.below(100));
    }
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    default:
      return createText(random, schema);
  }
}

function createText(random: Random, { format, minLength = 1, maxLength = 200 }: Schema): string {
  const word = random.below(2 ** 31).toString(36);
  if (format === "email") return `attack-${word}@example.com`;
  // Nothing listens there, so no request leaves the machine.
  if (format === "uri" || format === "url") return `https://127.0.0.1:65500/${word}`;
  if (format === "date-time") return new Date(1_700_000_000_000 + random.below(10 ** 9) * 100).toISOString();
  return `attack ${word} `
    .repeat(Math.ceil(minLength / 8) + 1)
    .slice(0, Math.min(maxLength, Math.max(minLength, 12)));
}

/** The same value with one thing wrong: a hostile value in place of a part, a part missing, or a part too many. */
export function mutate(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.15)) return random.pick(hostileValues);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return Array.from({ length: 300 }, () => value[0] ?? "x");
    const at = random.below(value.length);
    return value.map((item, i) => (i === at ? mutate(random, item) : item));
  }
  const names = Object.keys(value);
  const name = names.length ? random.pick(names) : "unknown";
  const inner = (value as Record<string, unknown>)[name];
  if (random.chance(0.15))
    return {
      ...value,
      [random.pick(["unknown", "id", "organizationId", "role", "permissions"])]: random.pick(hostileValues),
    };
  if (random.chance(0.15))
    return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
  return { ...value, [name]: mutate(random, inner) };
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  return schema.$ref
    ? resolve(schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {}, schemas)
    : schema;
}
