import { type Attribute, findAttribute } from "../definitions/index.ts";
import { noTarget } from "../errors.ts";
import { bindValueFilter, type Filter, foldCase, matches } from "../filter/index.ts";
import {
  type Attributes,
  checkCount,
  isObject,
  readValue,
  readValues,
  tidyValues,
} from "../resources/index.ts";
import type { Change } from "./changes.ts";

const isSame = (a: unknown, b: unknown) =>
  typeof a === "string" && typeof b === "string" ? foldCase(a) === foldCase(b) : a === b;

/** Whether a value has all parts of another. */
const hasParts = (value: unknown, parts: unknown) =>
  isObject(value) &&
  isObject(parts) &&
  Object.entries(parts).every(([key, part]) => isSame(value[key], part));

/** Whether two values are the same one with other details, such as a phone number that becomes the primary one. */
const isSameValue = (a: Attributes, b: Attributes) =>
  a.value !== undefined && isSame(a.value, b.value) && isSame(a.type, b.type);

/** The newest primary value replaces the earlier one. */
const tidyNewestFirst = (values: readonly unknown[]) => tidyValues([...values].reverse()).reverse();

function addValues(current: readonly Attributes[], added: readonly Attributes[]): unknown[] {
  const result: Attributes[] = [...current];
  for (const value of added) {
    const at = result.findIndex((one) => isSameValue(one, value));
    // A value goes to the end, so that its flag is the newest.
    const before = at < 0 ? {} : result.splice(at, 1)[0]!;
    result.push({ ...before, ...value });
  }
  return tidyNewestFirst(result);
}

/** Sets or removes one part, and puts the changed values last if they become primary. */
function setPart(
  values: readonly Attributes[],
  isSelected: (value: Attributes) => boolean,
  key: string,
  part: unknown,
): unknown[] {
  const isPrimary = key === "primary" && part === true;
  return values.map((value) => {
    if (!isSelected(value)) return isPrimary && value.primary === true ? { ...value, primary: false } : value;
    const { [key]: _, ...rest } = value;
    return part === undefined ? rest : { ...rest, [key]: part };
  });
}

/** The value that a filter of equalities describes, or undefined for any other filter. */
function describeByFilter(attribute: Attribute, filter: Filter): Attributes | undefined {
  if (filter.op === "and") {
    const parts = filter.filters.map((one) => describeByFilter(attribute, one));
    return parts.every((one) => one !== undefined) ? Object.assign({}, ...parts) : undefined;
  }
  if (filter.op !== "eq") return undefined;
  const sub = findAttribute(attribute.subAttributes, filter.path);
  return sub && { [sub.name]: readValue(sub, filter.value) };
}

/** Applies a change to the values of a multi-valued attribute. */
export function changeValues(current: readonly Attributes[], change: Change): unknown[] {
  const { attribute } = change.target;
  const next = change.filter
    ? changeSelected(current, change, change.filter)
    : change.target.sub
      ? changeParts(current, change)
      : changeList(current, change);
  checkCount(attribute, next.length);
  return next;
}

function changeList(current: readonly Attributes[], { op, target, value }: Change): unknown[] {
  const values = readValues(target.attribute, value) as Attributes[];
  if (op === "replace") return values;
  if (op === "add") return addValues(current, values);
  // Entra ID names the values that it removes.
  if (value === undefined || value === null) return [];
  return current.filter((one) => !values.some((parts) => hasParts(one, parts)));
}

/** `emails.value` without a filter means all values. If there is none, it becomes the first. */
function changeParts(current: readonly Attributes[], { op, target, value }: Change): unknown[] {
  const sub = target.sub!;
  const part = op === "remove" ? undefined : readValue(sub, value);
  if (current.length === 0) return part === undefined ? [] : [{ [sub.name]: part }];
  return tidyValues(setPart(current, () => true, sub.name, part));
}

function changeSelected(current: readonly Attributes[], change: Change, filter: Filter): unknown[] {
  const { op, target, value } = change;
  const { attribute, sub } = target;
  const bound = bindValueFilter(attribute, filter);
  const selected = new Set(current.filter((one) => matches(bound, one)));
  if (op === "remove") {
    if (sub) return setPart(current, (one) => selected.has(one), sub.name, undefined);
    return current.filter((one) => !selected.has(one));
  }
  if (selected.size === 0) return createSelected(current, change, filter);
  if (sub) return tidyValues(setPart(current, (one) => selected.has(one), sub.name, readValue(sub, value)));
  const [parts = {}] = readValues(attribute, value) as Attributes[];
  const changed = current.map((one) =>
    selected.has(one) ? (op === "add" ? { ...one, ...parts } : parts) : one,
  );
  return parts.primary === true
    ? setPart(
        changed as Attributes[],
        (one) => one.primary === true && !current.includes(one),
        "primary",
        true,
      )
    : tidyValues(changed);
}

/**
 * Entra ID sets `phoneNumbers[type eq "mobile"].value` before there is such a value, with add or with replace. A replace
 * that selects by `value` means an existing value, so it creates none.
 */
function createSelected(
  current: readonly Attributes[],
  { op, target, value }: Change,
  filter: Filter,
): unknown[] {
  const { attribute, sub } = target;
  const described = describeByFilter(attribute, filter);
  if (!described || (op === "replace" && "value" in described))
    throw noTarget(`No value of \`${attribute.name}\` matches the filter of the path.`);
  const parts = sub
    ? { [sub.name]: readValue(sub, value) }
    : ((readValues(attribute, value) as Attributes[])[0] ?? {});
  const created = Object.fromEntries(
    Object.entries({ ...described, ...parts }).filter(([, part]) => part !== undefined),
  );
  const isCleared = sub !== undefined && readValue(sub, value) === undefined;
  return isCleared ? [...current] : addValues(current, [created]);
}
