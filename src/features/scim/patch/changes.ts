import { Refusal } from "../../../platform/errors.ts";
import { type Definition, findSchema, findTarget, type Schema, type Target } from "../definitions/index.ts";
import { invalidPath, invalidValue } from "../errors.ts";
import { type Filter, parsePath } from "../filter/index.ts";
import { checkWritable, isObject } from "../resources/index.ts";
import { type Operation, readOperations } from "./operations.ts";

/** One change of one attribute. */
export interface Change {
  op: Operation["op"];
  target: Target;
  /** Selects values of a multi-valued attribute. */
  filter?: Filter;
  value: unknown;
}

interface Place {
  target: Target;
  filter?: Filter;
}

/** Finds what a path refers to. Undefined if it is well formed but names no attribute of ours. */
function findPlace(definition: Definition, text: string): Place | undefined {
  const path = readPath(text);
  const target = findTarget(definition, path.sub === undefined ? path.name : `${path.name}.${path.sub}`);
  if (!target || !path.filter) return target && { target };
  // `name.part[…]` selects among values of a part, which no attribute of ours has.
  if (findTarget(definition, path.name)?.sub || !target.attribute.subAttributes) return undefined;
  return { target, filter: path.filter };
}

function readPath(text: string) {
  try {
    return parsePath(text);
  } catch (error) {
    // A fault within the brackets is one of the filter.
    if (!(error instanceof Refusal) || text.includes("[")) throw error;
    throw invalidPath(`The path "${text.slice(0, 200)}" is not readable.`);
  }
}

/** Most changes of one PATCH. A value without a path can name very many attributes. */
const maxChanges = 2_000;

/** Breaks operations into changes of single attributes, and leaves out what we do not keep. */
export function readChanges(definition: Definition, body: unknown): Change[] {
  const changes = readOperations(body).flatMap((operation): Change[] => {
    const { op, path, value } = operation;
    if (path === undefined) return readObject(definition, op, undefined, value);
    const schema = findSchema(definition, path);
    if (schema && op === "remove") return removeAll(schema, definition);
    if (schema) return readObject(definition, op, schema, value);
    const place = findPlace(definition, path);
    if (!place)
      throw invalidPath(`There is no attribute "${path.slice(0, 200)}". See /Schemas for their names.`);
    checkWritable(place.target.attribute, path);
    if (place.target.sub) checkWritable(place.target.sub, path);
    return [{ op, ...place, value }];
  });
  if (changes.length > maxChanges)
    throw invalidValue(`A PATCH changes at most ${maxChanges} values. Send the rest in another request.`);
  return changes;
}

/**
 * A value without a path names its attributes itself. Names can have dots, brackets and schemas. Attributes that nobody
 * can write are ignored, because Okta sends the `id` along.
 */
function readObject(
  definition: Definition,
  op: Operation["op"],
  schema: Schema | undefined,
  value: unknown,
): Change[] {
  if (!isObject(value))
    throw invalidValue(`\`value\` must be an object${schema ? "" : " if there is no `path`"}.`);
  return Object.entries(value).flatMap(([key, inner]) => {
    const nested = findSchema(definition, key);
    if (nested && !schema) return readObject(definition, op, nested, inner);
    const name = schema ? `${schema.id}:${key}` : key;
    const place = name.includes("[") ? findPlace(definition, name) : findNamed(definition, name);
    if (!place || [place.target.attribute, place.target.sub].some((one) => one?.mutability === "readOnly"))
      return [];
    return [{ op, ...place, value: inner }];
  });
}

function findNamed(definition: Definition, name: string): Place | undefined {
  const target = findTarget(definition, name);
  return target && { target };
}

function removeAll(schema: Schema, definition: Definition): Change[] {
  if (schema === definition.schema) throw invalidPath("Name the attribute that is to be removed.");
  return schema.attributes.map((attribute) => ({
    op: "remove",
    target: { extension: schema, attribute },
    value: undefined,
  }));
}
