/** The module that a worker thread loads to read files as templates; see `fileReader`. */
import { computeDigest } from "../digest.ts";
import { type ParsedFile, type Problem, parseFile, toTemplate } from "./front-matter.ts";
import type { FileTemplate } from "./plan.ts";

export { createProblemList } from "./plan.ts";
export type { ParsedFile };
export { parseFile };

export function toFileTemplate(
  parsed: ParsedFile,
  path: string,
  name: string,
): FileTemplate | Problem | undefined {
  const content = toTemplate(parsed, path, name);
  if (!content || "message" in content) return content;
  const { slug, name: title, description, tags, body, metadata } = content;
  const json = JSON.stringify({ slug, name: title, description, tags, body, metadata });
  return { slug, digest: computeDigest(content), json: new TextEncoder().encode(json) };
}
