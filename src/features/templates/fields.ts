import { z } from "zod";
// Imports one file and not all of http, because worker threads load this module too.
import { lineOfText } from "../../platform/http/fields.ts";

/** The fields of a template. The same rules apply to requests and to files. */

export const limits = {
  bodyBytes: 256 * 1024,
  metadataBytes: 16 * 1024,
  name: 120,
  slug: 200,
  description: 2_000,
  tags: 20,
  tag: 50,
  perOrganization: 10_000,
};

const slugPattern = /^[a-z0-9]+(?:[-_.]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[-_.]+[a-z0-9]+)*)*$/;

// PostgreSQL stores neither NUL nor half a surrogate pair. In JSON text both are escapes.
const unstorableEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;
const isStorable = (text: string) => !text.includes("\0") && text.isWellFormed();

/** Replaces what cannot be stored, in text that quotes a file. */
export const toStorable = (text: string): string => text.replaceAll("\0", "\ufffd").toWellFormed();

export const fields = {
  name: lineOfText(limits.name).refine(isStorable, "Text must be valid Unicode without NUL."),
  slug: z
    .string()
    .min(1)
    .max(limits.slug)
    .regex(slugPattern, "Use small letters and digits, with - _ . between them and / between parts."),
  description: z
    .string()
    .trim()
    .max(limits.description)
    .refine(isStorable, "Text must be valid Unicode without NUL."),
  tags: z
    .array(lineOfText(limits.tag).refine(isStorable, "Text must be valid Unicode without NUL."))
    .max(limits.tags)
    .transform((tags) => [...new Set(tags)]),
  body: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= limits.bodyBytes, "The body may have 256 KiB.")
    .refine(isStorable, "Text must be valid Unicode without NUL."),
  metadata: z.record(z.string(), z.unknown()).refine((value) => {
    const text = JSON.stringify(value);
    return Buffer.byteLength(text) <= limits.metadataBytes && !unstorableEscape.test(text);
  }, "Metadata may have 16 KiB as JSON, of valid Unicode without NUL."),
};

export interface TemplateContent {
  slug: string;
  name: string;
  description: string;
  tags: string[];
  body: string;
  metadata: Record<string, unknown>;
}

/** `Code review` → `code-review`, `Agents/Triage` → `agents/triage`; undefined when no character is left. */
export function createSlug(text: string): string | undefined {
  const parts = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split("/")
    .map((part) => part.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, ""));
  const slug = parts.join("/");
  return parts.every((part) => part !== "") && slug.length <= limits.slug ? slug : undefined;
}
