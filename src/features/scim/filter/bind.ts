import { type Attribute, type Definition, findAttribute, findTarget } from "../definitions/index.ts";
import { invalidFilter } from "../errors.ts";
import { readBoolean } from "../resources/index.ts";
import type { Comparison, Filter, FilterValue } from "./parse.ts";

/** One step from a resource, or from one of its values, to what a condition compares. */
export interface Step {
  name: string;
  isList: boolean;
}

export interface Condition {
  op: Comparison | "pr";
  steps: readonly Step[];
  attribute: Attribute;
  /** In the form that is compared: case-insensitive text is in lower case, times are milliseconds. */
  value: FilterValue;
}

/** A filter whose names and values fit a definition. */
export type BoundFilter =
  | { op: "and" | "or"; filters: readonly BoundFilter[] }
  | { op: "not"; filter: BoundFilter }
  | { op: "[]"; steps: readonly Step[]; filter: BoundFilter }
  | Condition;

/** Case-insensitive text is compared in this form, in the database and in memory. */
export const foldCase = (text: string) => text.toLowerCase();

const toStep = ({ name, multiValued }: Attribute): Step => ({ name, isList: multiValued });

/** Finds what a name refers to, and the steps to it. */
type Find = (name: string) => { attribute: Attribute; steps: Step[] } | undefined;

const findIn =
  (definition: Definition): Find =>
  (name) => {
    const target = findTarget(definition, name);
    if (!target) return undefined;
    const { extension, attribute, sub } = target;
    return {
      attribute: sub ?? attribute,
      steps: [
        ...(extension ? [{ name: extension.id, isList: false }] : []),
        toStep(attribute),
        ...(sub ? [toStep(sub)] : []),
      ],
    };
  };

const findInValue =
  (parent: Attribute): Find =>
  (name) => {
    const attribute = findAttribute(parent.subAttributes, name);
    return attribute && { attribute, steps: [toStep(attribute)] };
  };

function bind(find: Find, filter: Filter): BoundFilter {
  switch (filter.op) {
    case "and":
    case "or":
      return { op: filter.op, filters: filter.filters.map((one) => bind(find, one)) };
    case "not":
      return { op: "not", filter: bind(find, filter.filter) };
    case "[]": {
      const found = findKnown(find, filter.path);
      if (!found.attribute.subAttributes)
        throw invalidFilter(`"${filter.path}" has no sub-attributes, so it takes no brackets.`);
      return { op: "[]", steps: found.steps, filter: bind(findInValue(found.attribute), filter.filter) };
    }
    case "pr":
      return { ...findKnown(find, filter.path), op: "pr", value: null };
    default:
      return bindComparison(find, filter.op, filter.path, filter.value);
  }
}

function findKnown(find: Find, name: string) {
  const found = find(name);
  if (!found)
    throw invalidFilter(`There is no attribute "${name.slice(0, 200)}". See /Schemas for their names.`);
  if (!found.attribute.filterable) throw invalidFilter(`"${name}" cannot be used in a filter.`);
  return found;
}

function bindComparison(find: Find, op: Comparison, name: string, raw: FilterValue): Condition {
  const found = findKnown(find, name);
  if (found.attribute.type !== "complex")
    return { op, ...found, value: readOperand(op, name, found.attribute, raw) };
  // `emails co "@example.com"` means the values of the e-mail addresses (RFC 7644, 3.4.2.2).
  const sub = findAttribute(found.attribute.subAttributes, "value");
  if (!sub)
    throw invalidFilter(`"${name}" has parts. Name one of them, such as "${name}.${firstPart(found)}".`);
  return { op, attribute: sub, steps: [...found.steps, toStep(sub)], value: readOperand(op, name, sub, raw) };
}

const firstPart = ({ attribute }: { attribute: Attribute }) => attribute.subAttributes![0]!.name;

/** Brings a value into the form that is compared. */
function readOperand(op: Comparison, name: string, attribute: Attribute, raw: FilterValue): FilterValue {
  const isEquality = op === "eq" || op === "ne";
  if (raw === null) {
    if (!isEquality) throw invalidFilter(`"${name} ${op}" cannot be compared with null.`);
    return null;
  }
  if (attribute.type === "boolean") {
    // Entra ID writes `primary eq "True"`.
    const value = readBoolean(raw);
    if (value === undefined) throw invalidFilter(`"${name}" is compared with true or false.`);
    if (!isEquality) throw invalidFilter(`"${name}" is true or false, so it takes eq, ne and pr.`);
    return value;
  }
  if (typeof raw !== "string") throw invalidFilter(`"${name}" is text. Put the value in quotation marks.`);
  if (attribute.type === "dateTime") {
    if (op === "co" || op === "sw" || op === "ew")
      throw invalidFilter(`"${name}" is a time, so it takes eq, ne, gt, ge, lt, le and pr.`);
    const time = Date.parse(raw);
    if (Number.isNaN(time)) throw invalidFilter(`"${name}" needs a time, such as "2026-01-31T08:00:00Z".`);
    return time;
  }
  return attribute.caseExact ? raw : foldCase(raw);
}

export const bindFilter = (definition: Definition, filter: Filter): BoundFilter =>
  bind(findIn(definition), filter);

/** Binds the filter in the brackets of a path: its names are sub-attributes of the attribute. */
export const bindValueFilter = (attribute: Attribute, filter: Filter): BoundFilter =>
  bind(findInValue(attribute), filter);
