import { hash } from "node:crypto";
import type { Said } from "./fields.ts";

/** Everything a template says, as one hash: what is equal writes nothing. */
export const digestOf = ({ slug, name, description, tags, body, metadata }: Said): string =>
  hash("sha256", JSON.stringify([slug, name, description, tags, body, sorted(metadata)]), "base64url");

/** The database keeps no order of keys, so none may count. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => [key, sorted(item)]);
}
