/** The module that a worker thread loads to read files as templates; see `fileReader`. */
import { digestOf } from "../digest.ts";
import { type ParsedFile, type Problem, parseFile, templateAt } from "./front-matter.ts";
import type { FileTemplate } from "./plan.ts";

export { listProblems } from "./plan.ts";
export type { ParsedFile };
export { parseFile };

export function fileTemplateAt(
  parsed: ParsedFile,
  path: string,
  name: string,
): FileTemplate | Problem | undefined {
  const said = templateAt(parsed, path, name);
  if (!said || "message" in said) return said;
  const { slug, name: title, description, tags, body, metadata } = said;
  const json = JSON.stringify({ slug, name: title, description, tags, body, metadata });
  return { slug, digest: digestOf(said), json: new TextEncoder().encode(json) };
}
