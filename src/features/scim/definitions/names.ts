import { type Attribute, commonAttributes, type Definition, type Schema } from "./attribute.ts";

/** What a name such as `name.familyName` or `urn:…:User:department` refers to. */
export interface Target {
  /** The extension that has the attribute. Absent for attributes of the resource itself. */
  extension?: Schema;
  attribute: Attribute;
  sub?: Attribute;
}

const equal = (a: string, b: string) => a.length === b.length && a.toLowerCase() === b.toLowerCase();

/** Attribute names are case-insensitive (RFC 7643, 2.1). */
export const findAttribute = (attributes: readonly Attribute[] | undefined, name: string) =>
  attributes?.find((one) => equal(one.name, name));

/** The schema that a name begins with, and the rest of the name. Directories write `:` or `.` between them. */
function splitSchema(definition: Definition, name: string): { schema: Schema; rest: string } | undefined {
  // Most names are short, and have no schema.
  if (!name.includes(":")) return undefined;
  const lower = name.toLowerCase();
  for (const schema of [definition.schema, ...definition.extensions]) {
    const id = schema.id.toLowerCase();
    if (lower === id) return { schema, rest: "" };
    if (lower.startsWith(`${id}:`) || lower.startsWith(`${id}.`))
      return { schema, rest: name.slice(id.length + 1) };
  }
  return undefined;
}

/** The schema whose URN is exactly this name. */
export function findSchema(definition: Definition, name: string): Schema | undefined {
  const found = splitSchema(definition, name);
  return found?.rest === "" ? found.schema : undefined;
}

/** Finds the attribute with a name in any case, with or without its schema. Undefined if there is none. */
export function findTarget(definition: Definition, name: string): Target | undefined {
  const { schema, rest } = splitSchema(definition, name) ?? { schema: definition.schema, rest: name };
  const isExtension = schema !== definition.schema;
  const [first = "", second, ...others] = rest.split(".");
  const attribute =
    findAttribute(schema.attributes, first) ??
    (isExtension ? undefined : findAttribute(commonAttributes, first));
  if (!attribute || others.length > 0) return undefined;
  const sub = second === undefined ? undefined : findAttribute(attribute.subAttributes, second);
  if (second !== undefined && !sub) return undefined;
  return { ...(isExtension ? { extension: schema } : {}), attribute, ...(sub ? { sub } : {}) };
}
