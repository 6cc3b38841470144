import { hash } from "node:crypto";
import type { TemplateContent } from "./fields.ts";

/** One hash of the whole content of a template. Equal content is not written again. */
export const computeDigest = ({ slug, name, description, tags, body, metadata }: TemplateContent): string =>
  hash("sha256", JSON.stringify([slug, name, description, tags, body, sortKeys(metadata)]), "base64url");

/** Sorts keys, because the database does not keep their order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sortKeys(item)]);
}
