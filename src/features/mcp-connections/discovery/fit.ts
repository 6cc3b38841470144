/** A verdict has a few kilobytes. A hostile server can make it a thousand times as large. */
const maxLength = 256 * 1024;
const maxItems = 50;
const maxTextLength = 500;

/** Returns the value, or when it is too large to be kept, a copy with shorter lists and texts. */
export function fitForKeeping<T>(value: T): T {
  return JSON.stringify(value).length <= maxLength ? value : (shorten(value) as T);
}

function shorten(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, maxTextLength).toWellFormed();
  if (Array.isArray(value)) return value.slice(0, maxItems).map(shorten);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}
