import { hash } from "node:crypto";
import type { AttributeValue } from "./record.ts";

/** Bytes that are the same for equal values, whatever the order of attributes. */
export function computeDigest(value: AttributeValue): Buffer {
  return hash("sha256", serialize(value), "buffer").subarray(0, 16);
}

function serialize(value: AttributeValue): string {
  if (Array.isArray(value)) return `[${value.map(serialize).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${serialize(value[name]!)}`).join(",")}}`;
}
