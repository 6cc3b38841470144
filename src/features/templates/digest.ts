import { hash } from "node:crypto";
import type { TemplateContent } from "./fields.ts";

/** Everything a template says, as one hash: what is equal writes nothing. */
export const computeDigest = ({ slug, name, description, tags, body, metadata }: TemplateContent): string =>
  hash("sha256", JSON.stringify([slug, name, description, tags, body, sortKeys(metadata)]), "base64url");

/** The database keeps no order of keys, so none may count. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sortKeys(item)]);
}
