import { createHash } from "node:crypto";

/** JSON with its keys in order: two texts of the same content come out the same. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonical(item)]),
  );
}

/** Tells a report that is sent again from another one under the same number. */
export const digestOf = (content: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(canonical(content)))
    .digest("base64url");
