/** Writes JSON with a line for each part that does not fit into `width` characters. */
export const writeCompactJson = (value: unknown, width = 64): string => write(value, width, "", 0);

function write(value: unknown, width: number, indent: string, used: number): string {
  const line = writeLine(value);
  if (typeof value !== "object" || value === null || indent.length + used + line.length <= width) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + write(item, width, inner, 0))
    : Object.entries(value).map(([name, item]) => {
        const head = `${JSON.stringify(name)}: `;
        return inner + head + write(item, width, inner, head.length);
      });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return parts.length === 0 ? line : `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function writeLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${writeLine(item)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

/** The same value with the names of all objects in order, so that two versions can be compared by their lines. */
export function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sortNames(item)]));
}
