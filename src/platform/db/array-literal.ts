/**
 * Writes an array as PostgreSQL reads it. The drivers do this too, but escape each number like a text: with 800 events
 * in a statement, that took an eighth of the processor time of an event.
 */
export function formatArray(items: readonly unknown[]): string {
  let text = "{";
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ",";
    text += formatItem(items[i]);
  }
  return `${text}}`;
}

function formatItem(item: unknown): string {
  switch (typeof item) {
    case "number":
    case "bigint":
    case "boolean":
      return String(item);
    case "string":
      return quote(item);
    case "undefined":
      return "NULL";
    default:
      if (item === null) return "NULL";
      if (Array.isArray(item)) return formatArray(item);
      if (item instanceof Uint8Array) return `"\\\\x${Buffer.from(item).toString("hex")}"`;
      throw new Error("An array of a statement holds numbers, booleans, texts, bytes and arrays of them.");
  }
}

const quote = (text: string) => (/["\\]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : `"${text}"`);
