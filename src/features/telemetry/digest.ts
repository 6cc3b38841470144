import { hash } from "node:crypto";
import type { AttributeValue } from "./record.ts";

/** A hash in hexadecimal. It is the same for equal values, whatever the order of attributes. */
export const computeDigest = (value: AttributeValue): string =>
  hash("sha256", JSON.stringify(sortNames(value)), "hex").slice(0, 32);

/** Copies only what is not in order yet. */
function sortNames(value: AttributeValue): AttributeValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortNames);
  const names = Object.keys(value);
  if (names.every((name, i) => isPlain(value[name]!) && (i === 0 || names[i - 1]! < name))) return value;
  const sorted: { [name: string]: AttributeValue } = Object.create(null);
  for (const name of names.sort()) sorted[name] = sortNames(value[name]!);
  return sorted;
}

const isPlain = (value: AttributeValue): boolean => typeof value !== "object" || value === null;
