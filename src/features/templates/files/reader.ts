/** What a thread loads to read files as templates; see `fileReader` in the room's door. */
import { digestOf } from "../digest.ts";
import { type ParsedFile, type Problem, parseFile, templateAt } from "./front-matter.ts";

/** A template as a file says it. Only its JSON holds the words, as bytes: nobody has to read them to store them. */
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
