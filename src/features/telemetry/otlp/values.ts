import type { Attributes, AttributeValue } from "../record.ts";
import type { Message } from "./wire.ts";

/** Reads values of messages that came as JSON or as protobuf. JSON can have anything anywhere. */
export const toObject = (value: unknown): Message =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : {};

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** 64-bit integers are text in JSON. Undefined when the value is not an integer. */
export function toInteger(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? BigInt(value) : undefined;
}

/**
 * Counts texts, numbers and what else has no parts, also inside of lists and objects. An attribute has two. Stops when
 * there are more than `max`.
 */
export function countValues(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 0;
  // `for … in` would create a text for each index of a list.
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(part, max - count);
    if (count > max) break;
  }
  // An empty object takes time too.
  return count || 1;
}

/** Numbers are numbers or text in JSON, where text is also how NaN is written. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "bigint") return Number(value);
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** The earliest and latest times that are stored. */
const maxTime = Date.UTC(2200, 0, 1);

/** Milliseconds since 1970 of a time in nanoseconds. Undefined when it is absent or not a time. */
export function toMilliseconds(value: unknown): number | undefined {
  const nanos = toInteger(value);
  if (nanos === undefined || nanos <= 0n) return undefined;
  const ms = Number(nanos / 1_000_000n);
  return ms > 0 && ms < maxTime ? ms : undefined;
}

/** An id of so many bytes in hexadecimal, not all zeros. Undefined for anything else, such as base64. */
export function toHexId(value: unknown, bytes: number): string | undefined {
  const text = toText(value).toLowerCase();
  return text.length === bytes * 2 && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text) ? text : undefined;
}

const maxAttributes = 512;
const maxDepth = 8;

/** The attributes of a resource or an item. With a name given twice, the last value counts. */
export function toAttributes(list: unknown): Attributes {
  const attributes: Attributes = Object.create(null);
  for (const entry of toList(list).slice(0, maxAttributes)) {
    const { key, value } = toObject(entry);
    if (typeof key !== "string" || key === "" || key.length > 256) continue;
    const plain = toPlainValue(value, maxDepth);
    if (plain !== undefined) attributes[key] = plain;
  }
  return attributes;
}

/** The plain value of an `AnyValue`. Bytes, and values that are nested too deep, are left out. */
export function toPlainValue(value: unknown, depth = maxDepth): AttributeValue | undefined {
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = toObject(value);
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  const integer = toInteger(intValue);
  // Larger integers than JSON numbers can hold stay text.
  if (integer !== undefined) return Number.isSafeInteger(Number(integer)) ? Number(integer) : String(integer);
  const double = toNumber(doubleValue);
  if (double !== undefined) return double;
  if (depth === 0) return undefined;
  if (arrayValue !== undefined)
    return toList(toObject(arrayValue).values).flatMap((item) => toPlainValue(item, depth - 1) ?? []);
  if (kvlistValue === undefined) return undefined;
  const entries = toList(toObject(kvlistValue).values).flatMap((entry) => {
    const plain = toPlainValue(toObject(entry).value, depth - 1);
    return plain === undefined ? [] : [[toText(toObject(entry).key), plain] as const];
  });
  return Object.fromEntries(entries);
}
