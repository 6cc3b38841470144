/** The module that a worker thread loads to read files as templates; see `fileReader`. */
import { digestOf } from "../digest.ts";
import { type ParsedFile, type Problem, parseFile, templateAt } from "./front-matter.ts";

/** A template that was read from a file. Its fields stay JSON bytes, which only the database parses. */
export interface FileTemplate {
  slug: string;
  digest: string;
  /** `slug`, `name`, `description`, `tags`, `body` and `metadata`. */
  json: Uint8Array;
}

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
