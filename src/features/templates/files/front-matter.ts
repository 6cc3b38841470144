import { isUtf8 } from "node:buffer";
import { type Document, isCollection, isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";
import { createSlug, fields, type TemplateContent, toStorable } from "../fields.ts";

/** A file that did not become a template, and why. */
export interface Problem {
  path: string;
  line: number | null;
  message: string;
}

const maxFrontMatterBytes = 16 * 1024;

const knownFields = z.object({
  name: fields.name,
  slug: fields.slug.optional(),
  description: fields.description.default(""),
  tags: fields.tags.default([]),
});

class Unreadable extends Error {
  readonly line: number | null;
  constructor(line: number | null, message: string) {
    super(message);
    this.line = line;
  }
}

/** The parsed content of a file, without its path: equal files are parsed once. */
export type ParsedFile =
  | { kind: "template"; fields: Omit<TemplateContent, "slug"> & { slug: string | undefined } }
  | { kind: "without_front_matter"; isInLfs: boolean }
  | { kind: "unreadable"; line: number | null; message: string };

const maxMessageLength = 300;

/** Front matter is YAML between two lines of three dashes; the rest is the body. */
export function parseFile(bytes: Buffer): ParsedFile {
  try {
    return parse(bytes);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    // The parser's message can quote text of the file, of any length and cut in the middle of a character.
    const message = toStorable(error.message.slice(0, maxMessageLength));
    return { kind: "unreadable", line: error.line, message };
  }
}

/** The template of a parsed file. Its slug is derived from `name` if the file has none. Undefined for a README. */
export function toTemplate(
  parsed: ParsedFile,
  path: string,
  name: string,
): TemplateContent | Problem | undefined {
  const problem = (line: number | null, message: string) => ({ path, line, message });
  if (parsed.kind === "unreadable") return problem(parsed.line, parsed.message);
  if (parsed.kind === "without_front_matter") {
    // A README explains the folder and is not a template.
    if (/(?:^|\/)readme\.md$/i.test(name)) return undefined;
    return problem(
      1,
      parsed.isInLfs
        ? "The content is in Git LFS, which is not read. Store this file in git itself."
        : "There is no front matter. Begin with a line of ---, then name: …, then --- again.",
    );
  }
  const slug = parsed.fields.slug ?? createSlug(name.replace(/\.md$/i, ""));
  if (!slug) return problem(1, "No slug can be derived from this path. Give a slug in the front matter.");
  return { ...parsed.fields, slug };
}

export const readTemplate = (path: string, name: string, bytes: Buffer) =>
  toTemplate(parseFile(bytes), path, name);

/** What git stores of a file whose content is in Git LFS. */
const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n/;

function parse(bytes: Buffer): ParsedFile {
  if (!isUtf8(bytes))
    throw new Unreadable(findInvalidLine(bytes), "The file is not UTF-8. Save it as UTF-8.");
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  const opening = /^---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!opening) return { kind: "without_front_matter", isInLfs: lfsPointer.test(text) };
  const rest = text.slice(opening[0].length);
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!closing) throw new Unreadable(1, "The front matter is not closed. End it with a line of ---.");
  const yaml = rest.slice(0, closing.index);
  if (Buffer.byteLength(yaml) > maxFrontMatterBytes)
    throw new Unreadable(1, "The front matter is larger than 16 KiB. Put the text below it.");
  const { values, findLine } = parseYaml(yaml);
  const parsed = knownFields.safeParse(values);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    const key = String(path[0]);
    throw new Unreadable(
      findLine(key),
      Object.hasOwn(values, key) ? `${path.join(".")}: ${message}` : `The front matter has no ${key}.`,
    );
  }
  const { name: _n, slug: _s, description: _d, tags: _t, ...others } = values;
  // The schema would drop this name without an error.
  if (Object.hasOwn(others, "__proto__"))
    throw new Unreadable(findLine("__proto__"), "No field can be named __proto__. Choose another name.");
  const metadata = fields.metadata.safeParse(others);
  if (!metadata.success) throw new Unreadable(2, metadata.error.issues[0]!.message);
  const body = rest.slice(closing.index + closing[0].length).replace(/^(?:[ \t]*\r?\n)+/, "");
  const checked = fields.body.safeParse(body);
  if (!checked.success) {
    const lineAfter = (letters: number) => text.slice(0, letters).split("\n").length;
    if (body === "") {
      throw new Unreadable(
        lineAfter(opening[0].length + closing.index),
        "There is nothing below the front matter.",
      );
    }
    throw new Unreadable(lineAfter(text.length - body.length), checked.error.issues[0]!.message);
  }
  const { slug, ...content } = parsed.data;
  return { kind: "template", fields: { ...content, slug, body, metadata: metadata.data } };
}

const maxDepth = 100;
const tooDeepMessage = "The front matter uses aliases or is nested too deeply. Write it out plainly.";

/** Checked before parsing, because parsing deep content is slow. Brackets in texts are mostly in pairs. */
function isTooDeep(text: string): boolean {
  let open = 0;
  for (const sign of text) {
    if (sign === "[" || sign === "{") open++;
    else if (sign === "]" || sign === "}") open = Math.max(0, open - 1);
    if (open > maxDepth) return true;
  }
  return compactDepth.test(text);
}
const compactDepth = new RegExp(`(?:[-?:][ \\t]+){${maxDepth}}`);

/** Finds a key that is repeated, or that is a list or a map: converting those to text can take seconds. */
function findInvalidKey(document: Document): { at: number; message: string } | undefined {
  let found: { at: number; message: string } | undefined;
  visit(document, {
    Map(_, { items }) {
      const knownKeys = new Set<string>();
      for (const { key } of items) {
        if (isCollection(key)) {
          found = { at: key.range?.[0] ?? 0, message: "The name of a field must be plain text." };
          return visit.BREAK;
        }
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (knownKeys.has(name)) {
          found = {
            at: key.range?.[0] ?? 0,
            message: "The front matter is not YAML: Map keys must be unique",
          };
          return visit.BREAK;
        }
        knownKeys.add(name);
      }
      return undefined;
    },
  });
  return found;
}

function parseYaml(text: string): { values: Record<string, unknown>; findLine(key: string): number } {
  const lines = new LineCounter();
  // The opening line of dashes is line 1 of the file.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  let values: unknown;
  if (isTooDeep(text)) throw new Unreadable(1, tooDeepMessage);
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      schema: "core",
      // JSON cannot express dates, sets and bytes.
      resolveKnownTags: false,
      // It compares every key with every other, which takes seconds for thousands of keys. See below.
      uniqueKeys: false,
      logLevel: "error",
    });
    const wrong = document.errors[0];
    if (wrong) throw new Unreadable(lineAt(wrong.pos[0]), `The front matter is not YAML: ${wrong.message}`);
    const strange = document.warnings[0];
    if (strange)
      throw new Unreadable(lineAt(strange.pos[0]), "The front matter has a tag that is not known.");
    const key = findInvalidKey(document);
    if (key) throw new Unreadable(lineAt(key.at), key.message);
    // Aliases can expand a small file into a huge one, and templates do not need them.
    values = document.toJS({ maxAliasCount: 0 });
    const items = isMap(document.contents) ? document.contents.items : [];
    const starts = new Map(
      items.flatMap(({ key }) => (isScalar(key) && key.range ? [[String(key.value), key.range[0]]] : [])),
    );
    if (values === null || values === undefined) values = {};
    if (typeof values !== "object" || Array.isArray(values))
      throw new Unreadable(2, "The front matter must be fields, such as name: Review.");
    return {
      values: values as Record<string, unknown>,
      findLine: (key) => (starts.has(key) ? lineAt(starts.get(key)!) : 1),
    };
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    // Too deep for the parser, or an alias.
    throw new Unreadable(1, tooDeepMessage);
  }
}

/** The first line that is not UTF-8. */
function findInvalidLine(bytes: Buffer): number {
  let line = 1;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, at);
    const next = end < 0 ? bytes.length : end + 1;
    if (!isUtf8(bytes.subarray(at, next))) return line;
    at = next;
  }
  return line;
}
