/** Compares two JSON Schemas of the API description, for what a client sends or for what it receives. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  [keyword: string]: unknown;
}

/** `request`: whatever was accepted must still be. `response`: whatever is sent must be what clients know. */
export type Direction = "request" | "response";

export interface Components {
  old: Record<string, Schema>;
  next: Record<string, Schema>;
}

export interface SchemaBreak {
  /** The field, as `items[].name`; empty for the whole value. */
  path: string;
  change: string;
  /** The value has another type, so the two schemas hardly describe the same thing. */
  isOtherType?: true;
}

/** Limits that may only move outward for requests. Clients seldom depend on limits of responses. */
const lowerLimits = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const upperLimits = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const exactLimits = ["pattern", "format", "multipleOf", "uniqueItems"];

export function compareSchemas(
  old: Schema,
  next: Schema,
  direction: Direction,
  components: Components,
): SchemaBreak[] {
  const compared = new Set<string>();
  return compare(old, next, "");

  function compare(before: Schema, after: Schema, path: string): SchemaBreak[] {
    // Schemas may refer to themselves.
    if (before.$ref && after.$ref) {
      const pair = `${before.$ref} ${after.$ref}`;
      if (compared.has(pair)) return [];
      compared.add(pair);
    }
    const [a, b] = [resolve(before, components.old), resolve(after, components.next)];
    const [variantsBefore, variantsAfter] = [variants(a), variants(b)];
    if (variantsBefore.length === 1 && variantsAfter.length === 1)
      return compareSingle(variantsBefore[0]!, variantsAfter[0]!, path);
    return compareVariants(variantsBefore, variantsAfter, path);
  }

  /** Each variant that can occur must be like one that the other side knows. Reports against the most similar one. */
  function compareVariants(before: Schema[], after: Schema[], path: string): SchemaBreak[] {
    const occurring = direction === "request" ? before : after;
    const known = direction === "request" ? after : before;
    return occurring.flatMap((variant) => {
      const attempts = known.map((one) =>
        direction === "request" ? compareOnce(variant, one, path) : compareOnce(one, variant, path),
      );
      const best = attempts.sort((one, other) => one.length - other.length)[0]!;
      if (best.length === 0) return [];
      // A change inside a variant is clearer than "the variant changed", if it is clear which one it was.
      if (before.length === after.length && !best.some(({ isOtherType }) => isOtherType)) return best;
      const change =
        direction === "request"
          ? `${describe(variant)} is no longer accepted`
          : `${describe(variant)} is a new kind of value`;
      return [{ path, change }];
    });
  }

  /** Compares as a trial: references that it visits do not count as compared. */
  function compareOnce(before: Schema, after: Schema, path: string): SchemaBreak[] {
    const visited = new Set(compared);
    const found = compare(before, after, path);
    compared.clear();
    for (const pair of visited) compared.add(pair);
    return found;
  }

  function compareSingle(before: Schema, after: Schema, path: string): SchemaBreak[] {
    const types = compareTypes(before, after, path);
    if (types.length > 0) return types;
    return [
      ...compareValues(before, after, path),
      ...(direction === "request" ? compareLimits(before, after, path) : []),
      ...compareProperties(before, after, path),
      ...(before.items || after.items ? compare(before.items ?? {}, after.items ?? {}, `${path}[]`) : []),
    ];
  }

  function compareTypes(before: Schema, after: Schema, path: string): SchemaBreak[] {
    const [occurring, known] =
      direction === "request" ? [typeNames(before), typeNames(after)] : [typeNames(after), typeNames(before)];
    if (known === undefined) return [];
    const unknown = (occurring ?? ["any type"]).filter(
      (type) => !known.includes(type) && !(type === "integer" && known.includes("number")),
    );
    return unknown.map((type) => ({
      path,
      isOtherType: true,
      change:
        direction === "request" ? `the type ${type} is no longer accepted` : `the type ${type} was added`,
    }));
  }

  function compareValues(before: Schema, after: Schema, path: string): SchemaBreak[] {
    const [from, to] = [allowedValues(before), allowedValues(after)];
    const gone = from?.filter((value) => to && !to.includes(value)) ?? [];
    if (direction === "request") {
      if (!from && to) return [{ path, change: "only certain values are accepted now" }];
      return gone.map((value) => ({ path, change: `the value ${value} is no longer accepted` }));
    }
    if (from && !to) return [{ path, change: "values outside of the list became possible" }];
    const added = to?.filter((value) => from && !from.includes(value)) ?? [];
    return [
      ...gone.map((value) => ({ path, change: `the value ${value} was removed` })),
      ...added.map((value) => ({ path, change: `the value ${value} was added` })),
    ];
  }

  function compareProperties(before: Schema, after: Schema, path: string): SchemaBreak[] {
    const [from, to] = [before.properties ?? {}, after.properties ?? {}];
    const at = (name: string) => (path ? `${path}.${name}` : name);
    const isRequired = ({ required }: Schema, name: string) => required?.includes(name) ?? false;
    const found = Object.keys(from).flatMap((name): SchemaBreak[] => {
      const field = to[name];
      if (field) return compare(from[name]!, field, at(name));
      // A request may still have the field if unknown fields are accepted.
      const isIgnored = direction === "request" && after.additionalProperties !== false;
      return isIgnored ? [] : [{ path: at(name), change: "the field was removed" }];
    });
    for (const name of Object.keys({ ...from, ...to })) {
      if (direction === "request" && isRequired(after, name) && !isRequired(before, name))
        found.push({
          path: at(name),
          change: name in from ? "became required" : "a required field was added",
        });
      if (direction === "response" && name in to && isRequired(before, name) && !isRequired(after, name))
        found.push({ path: at(name), change: "is no longer always present" });
    }
    const [open, nextOpen] = [before.additionalProperties, after.additionalProperties];
    if (direction === "request" && open !== false && nextOpen === false)
      found.push({ path, change: "unknown fields are no longer accepted" });
    if (typeof open === "object" && typeof nextOpen === "object")
      found.push(...compare(open, nextOpen, at("*")));
    return found;
  }
}

function compareLimits(before: Schema, after: Schema, path: string): SchemaBreak[] {
  const isTighter = (name: string, sign: number) =>
    typeof after[name] === "number" &&
    (typeof before[name] !== "number" || sign * (after[name] - before[name]) > 0);
  const tightened = [
    ...lowerLimits.filter((name) => isTighter(name, 1)),
    ...upperLimits.filter((name) => isTighter(name, -1)),
    ...exactLimits.filter((name) => after[name] !== undefined && after[name] !== before[name]),
  ];
  return tightened.map((name) => ({
    path,
    change: `\`${name}\` became stricter (${before[name] ?? "none"} → ${after[name]})`,
  }));
}

function resolve(schema: Schema, components: Record<string, Schema>): Schema {
  if (!schema.$ref) return schema;
  const name = schema.$ref.replace("#/components/schemas/", "");
  const target = components[name];
  if (!target) throw new Error(`The description has no schema ${schema.$ref}.`);
  return resolve(target, components);
}

function variants(schema: Schema): Schema[] {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

function typeNames({ type }: Schema): string[] | undefined {
  return type === undefined || Array.isArray(type) ? type : [type];
}

/** The listed values as JSON texts, or undefined if any value of the type may occur. */
function allowedValues(schema: Schema): string[] | undefined {
  if ("const" in schema) return [JSON.stringify(schema.const)];
  return schema.enum?.map((value) => JSON.stringify(value));
}

function describe(schema: Schema): string {
  const values = allowedValues(schema);
  if (values) return values.join(" or ");
  if (schema.$ref) return schema.$ref.replace("#/components/schemas/", "");
  const kind = Object.values(schema.properties ?? {}).flatMap((one) => allowedValues(one) ?? [])[0];
  return `${typeNames(schema)?.join(" or ") ?? "a value"}${kind ? ` with ${kind}` : ""}`;
}
