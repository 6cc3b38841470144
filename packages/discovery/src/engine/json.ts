/** MCP messages and OAuth metadata are never nested deeper. A deeper document is an attack on the parser. */
const maxDepth = 96;
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

export type JsonObject = { [key: string]: unknown };

export type JsonRead = { ok: true; value: unknown } | { ok: false; why: "empty" | "too_deep" | "not_json" };

/** Parses untrusted JSON. It never throws, and refuses extreme nesting before parsing. */
export function readJson(text: string): JsonRead {
  const clean = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (/^\s*$/.test(clean)) return { ok: false, why: "empty" };
  if (isTooDeep(clean)) return { ok: false, why: "too_deep" };
  try {
    return { ok: true, value: JSON.parse(clean) };
  } catch {
    return { ok: false, why: "not_json" };
  }
}

/**
 * Parses the beginning of a document that was cut off, up to the last complete element of its outermost list. A list
 * of ten thousand tools is then truncated instead of lost.
 */
export function readJsonPrefix(text: string): JsonRead {
  const closers: string[] = [];
  let cut = 0;
  let cutClosers = "";
  let cutDepth = Number.POSITIVE_INFINITY;
  for (const { index, char } of findBrackets(text)) {
    if (char === "{" || char === "[") {
      if (closers.push(char === "{" ? "}" : "]") > maxDepth) return { ok: false, why: "too_deep" };
      continue;
    }
    if (closers.pop() !== char) return { ok: false, why: "not_json" };
    // Cut only in the outermost list, never inside one tool.
    if (closers.at(-1) === "]" && closers.length <= cutDepth) {
      cut = index + 1;
      cutDepth = closers.length;
      cutClosers = closers.toReversed().join("");
    }
  }
  if (cut === 0) return { ok: false, why: "not_json" };
  return readJson(text.slice(0, cut) + cutClosers);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readString(object: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readBoolean(object: JsonObject, key: string): boolean | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "boolean" ? value : undefined;
}

/** Returns the non-empty strings of a list, or undefined without a list: absent and empty mean different things. */
export function readStrings(object: JsonObject, key: string, maxCount = 200): string[] | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (!Array.isArray(value)) return undefined;
  const strings: string[] = [];
  for (const item of value) {
    if (strings.length >= maxCount) break;
    if (typeof item === "string" && item !== "" && item.length <= 2048) strings.push(item);
  }
  return strings;
}

/** Returns a list of words. One string of words, separated as scopes are in RFC 6749, is accepted too. */
export function readWords(object: JsonObject, key: string): string[] | undefined {
  const text = readString(object, key);
  if (text === undefined) return readStrings(object, key);
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .slice(0, 200);
}

/** Returns true when brackets outside of strings are nested deeper than allowed. */
function isTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

/** Returns false for most documents: they have fewer opening brackets than the allowed depth. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > maxDepth) return true;
    }
  }
  return false;
}

/** Yields the brackets of a JSON text that are outside of strings. */
function* findBrackets(text: string): Generator<{ index: number; char: string }> {
  const mark = /[{}[\]"]/g;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] !== '"') {
      yield { index: found.index, char: found[0] };
      continue;
    }
    let end = text.indexOf('"', found.index + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) return;
    mark.lastIndex = end + 1;
  }
}

function isEscaped(text: string, index: number): boolean {
  let slashes = 0;
  while (text[index - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

/** Names the media type of something that is not JSON. The rest of the header is free text of the server. */
export function describeContentType(type = ""): string {
  return /^[a-z0-9.+-]{1,40}\/[a-z0-9.+-]{1,60}/.exec(type.trim().toLowerCase())?.[0] ?? "no content type";
}
