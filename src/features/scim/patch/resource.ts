import { type Attribute, type Definition, userDefinition } from "../definitions/index.ts";
import { immutable, invalidValue } from "../errors.ts";
import type { Filter } from "../filter/index.ts";
import {
  type Attributes,
  dropIncomplete,
  isObject,
  readValue,
  setValue,
  type UserResource,
} from "../resources/index.ts";
import { type Change, readChanges } from "./changes.ts";
import { changeValues } from "./values.ts";

/** The most comparisons of values in one PATCH. Directories need far fewer, and more would block the process. */
const maxComparisons = 20_000;

function countConditions(filter: Filter): number {
  if ("filters" in filter) return filter.filters.reduce((sum, one) => sum + countConditions(one), 0);
  return "filter" in filter ? countConditions(filter.filter) : 1;
}

function countCompared({ op, filter, value }: Change): number {
  if (filter) return countConditions(filter);
  return op !== "replace" && Array.isArray(value) ? value.length : 1;
}

/** Applies changes to a copy of the resource. */
export function applyChanges(
  definition: Definition,
  resource: Attributes,
  changes: readonly Change[],
): Attributes {
  const next = { ...resource };
  let comparisons = 0;
  for (const change of changes) {
    if (change.target.attribute.multiValued) {
      const { name } = change.target.attribute;
      const current = (next[name] as Attributes[] | undefined) ?? [];
      comparisons += current.length * countCompared(change);
      if (comparisons > maxComparisons)
        throw invalidValue("This PATCH compares too many values. Send its operations in several requests.");
      next[name] = changeValues(current, change);
    } else changeSingle(next, change);
  }
  finish(definition, next);
  return next;
}

/** Add and replace are the same for single values, because directories use either of them. */
function changeSingle(resource: Attributes, { op, target, value, filter }: Change): void {
  const { attribute, sub, extension } = target;
  const path = sub ? `${attribute.name}.${sub.name}` : attribute.name;
  if (filter) throw invalidValue(`\`${attribute.name}\` has one value, so its path takes no brackets.`);
  if (op === "remove") {
    if (attribute.required) throw immutable(`\`${path}\` is required and cannot be removed.`);
    if (!attribute.clearable) throw invalidValue(`\`${path}\` cannot be removed. Set it to true or false.`);
    setValue(resource, target, undefined);
    return;
  }
  const read = readValue(sub ?? attribute, value, path);
  if (read === undefined && attribute.required) throw invalidValue(`\`${path}\` is required.`);
  const holder = (extension ? resource[extension.id] : resource) as Attributes | undefined;
  const before = holder?.[attribute.name];
  // An object changes the parts that it names. A plain text is another manager, so the earlier name goes.
  const isMerge = !sub && isObject(before) && isObject(value);
  setValue(resource, target, isMerge ? mergeParts(attribute, before, value, read) : read);
}

/** Parts that the value sets to null are removed. */
function mergeParts(
  { subAttributes = [] }: Attribute,
  before: Attributes,
  value: Attributes,
  read: unknown,
): Attributes | undefined {
  const named = new Set(Object.keys(value).map((key) => key.toLowerCase()));
  const kept = subAttributes.filter(({ name }) => name in before && !named.has(name.toLowerCase()));
  const merged = {
    ...Object.fromEntries(kept.map(({ name }) => [name, before[name]])),
    ...(read as Attributes),
  };
  return Object.keys(merged).length > 0 ? merged : undefined;
}

/** Operations of one request can build a value step by step, so incomplete values are removed at the end. */
function finish({ schema }: Definition, resource: Attributes): void {
  for (const attribute of schema.attributes) {
    const values = resource[attribute.name];
    if (!attribute.multiValued || !Array.isArray(values)) continue;
    const kept = dropIncomplete(attribute, values);
    if (kept.length > 0) resource[attribute.name] = kept;
    else delete resource[attribute.name];
  }
}

/** Returns the user after the PATCH. The given resource stays as it is. */
export const applyUserPatch = (user: UserResource, body: unknown): UserResource =>
  applyChanges(
    userDefinition,
    user as unknown as Attributes,
    readChanges(userDefinition, body),
  ) as unknown as UserResource;
