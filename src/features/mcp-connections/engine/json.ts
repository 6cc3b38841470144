/** Nothing that MCP or OAuth metadata needs is nested deeper; a document that is was made to hurt a reader. */
const MAX_DEPTH = 96;
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

export type JsonObject = { [key: string]: unknown };

export type JsonRead = { ok: true; value: unknown } | { ok: false; why: "empty" | "too_deep" | "not_json" };

/** `JSON.parse` for text that somebody else chose: never throws, and refuses absurd nesting before parsing it. */
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
 * What can be known from the beginning of a document that was cut off: everything up to the last complete
 * element of its outermost list. A catalogue of ten thousand tools is then truncated instead of lost.
 */
export function readJsonPrefix(text: string): JsonRead {
  const closers: string[] = [];
  let cut = 0;
  let cutClosers = "";
  let cutDepth = Number.POSITIVE_INFINITY;
  for (const { index, char } of structure(text)) {
    if (char === "{" || char === "[") {
      if (closers.push(char === "{" ? "}" : "]") > MAX_DEPTH) return { ok: false, why: "too_deep" };
      continue;
    }
    if (closers.pop() !== char) return { ok: false, why: "not_json" };
    // An element inside one tool is not a place to cut: only the shallowest list counts.
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

export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function booleanAt(object: JsonObject, key: string): boolean | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === "boolean" ? value : undefined;
}

/** A list of non-empty strings, or undefined where there is no list at all: absent and empty mean different things. */
export function stringsAt(object: JsonObject, key: string, most = 200): string[] | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (!Array.isArray(value)) return undefined;
  const strings: string[] = [];
  for (const item of value) {
    if (strings.length >= most) break;
    if (typeof item === "string" && item !== "" && item.length <= 2048) strings.push(item);
  }
  return strings;
}

/** A list of single words. Written as one text, separated as RFC 6749 separates scopes, it still has one reading only. */
export function wordsAt(object: JsonObject, key: string): string[] | undefined {
  const text = stringAt(object, key);
  if (text === undefined) return stringsAt(object, key);
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .slice(0, 200);
}

/** True when brackets outside of strings are nested deeper than allowed. One pass, nothing allocated. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (inString) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

/** The brackets of a JSON text that stand outside its strings. */
function* structure(text: string): Generator<{ index: number; char: string }> {
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
