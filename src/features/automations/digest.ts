import { createHash } from "node:crypto";

/** Sorts the keys, so that equal content gives equal JSON. */
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

/** Shows whether a repeated report is the same, or another report with the same number. */
export const computeDigest = (content: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(sortKeys(content)))
    .digest("base64url");
