import {
  type Attribute,
  commonAttributes,
  type Definition,
  findSchema,
  findTarget,
} from "../definitions/index.ts";
import { invalidValue } from "../errors.ts";
import type { Attributes } from "./types.ts";
import { isObject } from "./values.ts";

/** Sub-attributes of an attribute, or all of it. */
type Choice = "all" | ReadonlySet<string>;
/** By the name of the attribute, with its extension before it. */
type Choices = ReadonlyMap<string, Choice>;

/** Which attributes a reply has (RFC 7644, 3.9). */
export interface Projection {
  attributes: Choices | undefined;
  excluded: Choices;
}

const maxNames = 200;
const toKey = (extension: string | undefined, name: string) => (extension ? `${extension}:${name}` : name);

function readNames(definition: Definition, names: string): Choices {
  const choices = new Map<string, Choice>();
  const list = names.split(",");
  if (list.length > maxNames) throw invalidValue(`Name at most ${maxNames} attributes.`);
  for (const raw of list) {
    const name = raw.trim();
    const schema = findSchema(definition, name);
    if (schema) {
      const extension = schema === definition.schema ? undefined : schema.id;
      for (const attribute of schema.attributes) choices.set(toKey(extension, attribute.name), "all");
    }
    // Unknown names select nothing.
    const target = schema ? undefined : findTarget(definition, name);
    if (!target) continue;
    const key = toKey(target.extension?.id, target.attribute.name);
    const before = choices.get(key);
    if (!target.sub || before === "all") choices.set(key, "all");
    else choices.set(key, new Set([...(before ?? []), target.sub.name]));
  }
  return choices;
}

/** Reads the query parameters of the same names: lists of attributes with commas between them. */
export const readProjection = (
  definition: Definition,
  { attributes, excludedAttributes }: { attributes?: string; excludedAttributes?: string },
): Projection => ({
  attributes: attributes?.trim() ? readNames(definition, attributes) : undefined,
  excluded: excludedAttributes?.trim() ? readNames(definition, excludedAttributes) : new Map(),
});

/** Whether a reply has the attribute, so that rows which nobody sees are not read. */
export const isReturned = ({ attributes, excluded }: Projection, name: string): boolean =>
  (attributes === undefined || attributes.has(name)) && excluded.get(name) !== "all";

function projectOne(
  { attributes, excluded }: Projection,
  attribute: Attribute,
  key: string,
  value: unknown,
): unknown {
  if (attribute.returned === "always" || value === undefined) return value;
  const chosen = attributes === undefined ? "all" : attributes.get(key);
  const removed = excluded.get(key);
  if (chosen === undefined || removed === "all") return undefined;
  if (chosen === "all" && removed === undefined) return value;
  const isKept = (name: string) => (chosen === "all" || chosen.has(name)) && !removed?.has(name);
  const pick = (item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).filter(([name]) => isKept(name))) : item;
  if (!Array.isArray(value)) return dropEmpty(pick(value));
  const items = value.map(pick).filter((item) => dropEmpty(item) !== undefined);
  return items.length > 0 ? items : undefined;
}

const dropEmpty = (value: unknown) =>
  isObject(value) && Object.keys(value).length === 0 ? undefined : value;

/** Writes a resource in the order of its schema, with the attributes that were asked for. */
export function writeResource(
  definition: Definition,
  resource: Attributes,
  projection: Projection,
): Attributes & { schemas: string[] } {
  const written: Attributes = {};
  const schemas = [definition.schema.id];
  const write = (attributes: readonly Attribute[], from: Attributes, to: Attributes, extension?: string) => {
    for (const attribute of attributes) {
      const value = projectOne(projection, attribute, toKey(extension, attribute.name), from[attribute.name]);
      if (value !== undefined) to[attribute.name] = value;
    }
  };
  const common = commonAttributes.filter(({ name }) => name !== "meta" && name !== "schemas");
  write(common, resource, written);
  write(definition.schema.attributes, resource, written);
  for (const { id, attributes } of definition.extensions) {
    const from = resource[id];
    if (!isObject(from)) continue;
    const to: Attributes = {};
    write(attributes, from, to, id);
    if (dropEmpty(to) === undefined) continue;
    written[id] = to;
    schemas.push(id);
  }
  write(
    commonAttributes.filter(({ name }) => name === "meta"),
    resource,
    written,
  );
  return { schemas, ...written };
}
