import { type Attribute, findAttribute } from "../definitions/index.ts";
import { immutable, invalidValue } from "../errors.ts";
import type { Attributes } from "./types.ts";

export const isObject = (value: unknown): value is Attributes =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Counts the names of an object and of the objects directly inside, until there are more than `max`. */
export function countNames(value: unknown, max: number): number {
  let count = 0;
  if (!isObject(value)) return count;
  for (const name in value) {
    count += 1;
    const inner = value[name];
    if (isObject(inner)) for (const _ in inner) if (++count > max) break;
    if (count > max) break;
  }
  return count;
}

/** Entra ID sends booleans as text, in any case. Anything else is refused, because a wrong guess keeps access open. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const lower = value.trim().toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}

/** The database cannot store these texts. */
export const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();

function readText({ maxLength }: Attribute, value: unknown, path: string): string | undefined {
  // Directories send employee numbers as numbers too.
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") throw invalidValue(`\`${path}\` must be text.`);
  if (text.length > maxLength)
    throw invalidValue(`\`${path}\` is too long: at most ${maxLength} characters are kept.`);
  if (!isStorable(text)) throw invalidValue(`\`${path}\` contains a character that cannot be stored.`);
  return text === "" ? undefined : text;
}

function readOne(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null || value === undefined) {
    if (!attribute.clearable) throw invalidValue(`\`${path}\` must be true or false.`);
    return undefined;
  }
  switch (attribute.type) {
    case "boolean": {
      // An empty text is no value for every other type, but `active` without a value must not pass.
      const read = readBoolean(value);
      if (read === undefined) throw invalidValue(`\`${path}\` must be true or false.`);
      return read;
    }
    case "complex":
      return readComplex(attribute, value, path);
    default:
      return readText(attribute, value, path);
  }
}

function readComplex(attribute: Attribute, value: unknown, path: string): Attributes | undefined {
  const subAttributes = attribute.subAttributes!;
  if (!isObject(value)) {
    // Entra ID sends a manager as plain text.
    const sub = findAttribute(subAttributes, "value");
    if (!sub || typeof value === "boolean" || Array.isArray(value))
      throw invalidValue(`\`${path}\` must be an object.`);
    const read = readOne(sub, value, path);
    return read === undefined ? undefined : { value: read };
  }
  const result: Attributes = {};
  for (const [key, raw] of Object.entries(value)) {
    const sub = findAttribute(subAttributes, key);
    if (!sub || sub.mutability === "readOnly") continue;
    const read = readOne(sub, raw, `${path}.${sub.name}`);
    if (read !== undefined) result[sub.name] = read;
  }
  return Object.keys(result).length > 0 ? result : undefined;
}

/** The same text for equal values, whatever the order of their keys and whether they are primary. */
const describeValue = (value: unknown): string =>
  JSON.stringify(
    isObject(value)
      ? Object.entries(value)
          .filter(([key]) => key !== "primary")
          .sort(([a], [b]) => (a < b ? -1 : 1))
      : value,
  );

/** Keeps equal values once. The first primary value stays the only one. */
export function tidyValues(values: readonly unknown[]): unknown[] {
  if (values.length < 2) return [...values];
  const primary = values.find((value) => isObject(value) && value.primary === true);
  const primaryKey = primary && describeValue(primary);
  const tidy = new Map<string, unknown>();
  for (const value of values) {
    const key = describeValue(value);
    if (tidy.has(key)) continue;
    if (key === primaryKey) tidy.set(key, primary);
    else tidy.set(key, isObject(value) && value.primary === true ? { ...value, primary: false } : value);
  }
  return [...tidy.values()];
}

export function checkCount({ name, maxValues }: Attribute, count: number): void {
  if (count > maxValues)
    throw invalidValue(`\`${name}\` has too many values: at most ${maxValues} are kept.`);
}

/** Reads the values of a multi-valued attribute. One value without a list is a list of one. */
export function readValues(attribute: Attribute, value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  const items = Array.isArray(value) ? value : [value];
  checkCount(attribute, items.length);
  return tidyValues(
    items.map((item) => readOne(attribute, item, attribute.name)).filter((item) => item !== undefined),
  );
}

/** Removes values that have only a type or a flag, such as an e-mail address without the address. */
export const dropIncomplete = ({ subAttributes }: Attribute, values: readonly unknown[]): unknown[] =>
  findAttribute(subAttributes, "value")
    ? values.filter((one) => isObject(one) && one.value !== undefined)
    : values.filter(
        (one) => !isObject(one) || Object.keys(one).some((key) => !/^(?:type|primary)$/.test(key)),
      );

/** Reads a value that a directory sent. Returns undefined if it means "no value". */
export function readValue(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  if (!attribute.multiValued) return readOne(attribute, value, path);
  const values = dropIncomplete(attribute, readValues(attribute, value));
  return values.length > 0 ? values : undefined;
}

/** Refuses a resource without its required attributes. */
export function checkRequired(attributes: readonly Attribute[], resource: Attributes): void {
  for (const { name, required } of attributes)
    if (required && resource[name] === undefined) throw invalidValue(`\`${name}\` is required.`);
}

export function checkWritable(attribute: Attribute, path: string): void {
  if (attribute.mutability === "readOnly") throw immutable(`\`${path}\` cannot be changed.`);
}
