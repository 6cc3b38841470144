import { createHash } from "node:crypto";

/** JSON with its keys in order: two texts of the same content come out the same. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

/** Tells a report that is sent again from another one under the same number. */
export const computeDigest = (content: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(sortKeys(content)))
    .digest("base64url");
