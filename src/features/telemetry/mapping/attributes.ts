import type { Attributes, AttributeValue } from "../record.ts";
import { isContent, isNeverStored, maxPlainLength } from "./contents.ts";

const maxNameLength = 128;
const plainLimits = { attributes: 32, valueLength: maxPlainLength, totalLength: 4 * 1024 };
const contentLimits = { attributes: 64, valueLength: 16 * 1024, totalLength: 64 * 1024 };
const maxDepth = 6;

/** PostgreSQL can store neither NUL nor half of a surrogate pair. */
const toStorable = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") ? text : text.replaceAll("\0", "\ufffd").toWellFormed();

/** Cuts a text to a number of characters, without splitting one. */
export const cutText = (text: string, max: number): string => toStorable(text.slice(0, max));

/** Chooses the attributes that are stored: a limited number, of limited size, without contents unless they are kept. */
export function selectAttributes(
  given: Attributes,
  { without, keepsContents }: { without: ReadonlySet<string>; keepsContents: boolean },
): Attributes | null {
  const limits = keepsContents ? contentLimits : plainLimits;
  const kept: Attributes = {};
  let count = 0;
  let length = 0;
  for (const name of Object.keys(given)) {
    if (count === limits.attributes) break;
    if (without.has(name)) continue;
    const value = given[name]!;
    if (value === null || name === "" || name.length > maxNameLength) continue;
    if (isNeverStored(name) || (!keepsContents && isContent(name, value))) continue;
    const stored = limitValue(value, limits.valueLength, maxDepth);
    if (stored === undefined) continue;
    const size = name.length + (typeof stored === "string" ? stored.length : JSON.stringify(stored).length);
    if (length + size > limits.totalLength) continue;
    kept[toStorable(name)] = stored;
    count += 1;
    length += size;
  }
  return count === 0 ? null : kept;
}

function limitValue(value: AttributeValue, maxLength: number, depth: number): AttributeValue | undefined {
  if (typeof value === "string") return cutText(value, maxLength);
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return value;
  // Nested values are stored as text, so that their size has one limit.
  if (depth === 0 || isDeeperThan(value, depth)) return undefined;
  return cutText(JSON.stringify(value), maxLength);
}

function isDeeperThan(value: AttributeValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}
