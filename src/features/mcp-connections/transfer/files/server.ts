import { findUrlProblem } from "@signalbox/discovery";
import type { problemCodes } from "../contract.ts";
import { listPlaceholders, parseTemplate, type Template } from "./templates.ts";

/** What a file says about a value that it does not contain. */
export interface ValueHint {
  description: string | null;
  secret: boolean;
}

interface FileHeader {
  name: string;
  value: Template;
  /** The header is left out when one of its values is missing. */
  optional: boolean;
}

/** A server as a file describes it. Header values can be secrets: they never leave the service. */
export interface FileServer {
  key: string;
  name: string;
  url: Template | null;
  headers: FileHeader[];
  hints: ReadonlyMap<string, ValueHint>;
  notes: string[];
  problem: { code: (typeof problemCodes)[number]; message: string } | null;
}

/** A server before it has a key. */
export type Draft = Omit<FileServer, "key">;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text of a field, or undefined when it is no text or empty. */
export const readText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]+/gu;
const maxNameLength = 80;

/** A name of one line, as names of connections must be. */
function toName(text: string | undefined, url?: string): string {
  const line = (text ?? "").replaceAll(hidden, " ").replaceAll(/\s+/g, " ").trim();
  const short = Array.from(line).slice(0, maxNameLength).join("").slice(0, maxNameLength).trim();
  // Cutting can leave half of a surrogate pair.
  const name = short.replace(/[\ud800-\udbff]$/, "");
  return name || (url && URL.canParse(url) && new URL(url).hostname.slice(0, maxNameLength)) || "Server";
}

export const refuseEntry = (
  name: string,
  code: (typeof problemCodes)[number],
  message: string,
  notes: string[] = [],
): Draft => ({
  ...{ name: toName(name), url: null, headers: [], hints: new Map(), notes },
  problem: { code, message },
});

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const noHints: ReadonlyMap<string, ValueHint> = new Map();

/** Checks the parts of a remote server. What is wrong becomes the problem of this server alone. */
export function createServer(
  name: string,
  address: string,
  headers: FileHeader[],
  { notes = [], hints = noHints }: { notes?: string[]; hints?: ReadonlyMap<string, ValueHint> } = {},
): Draft {
  const url = parseTemplate(address, "url");
  const problem =
    listPlaceholders([url]).length > 0 ? findTemplateProblem(address) : findUrlProblem(address.trim());
  if (problem) return refuseEntry(name, "invalid_url", `The URL cannot be used. ${problem}`, notes);
  const wrong = headers.find((header) => !headerName.test(header.name));
  if (wrong) {
    return refuseEntry(name, "invalid_entry", "The name of a header is not valid. Correct it in the file.");
  }
  return { name: toName(name, address), url, headers, hints, notes, problem: null };
}

/** Only the beginning can be checked while values are missing. A placeholder may stand for the whole address. */
const findTemplateProblem = (address: string): string | undefined =>
  /^(?:https?:\/\/|[$<{])/i.test(address) ? undefined : "The URL must begin with http:// or https://.";
