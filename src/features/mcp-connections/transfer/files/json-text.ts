/** A text that is not JSON. The message names the line and column. */
export class JsonTextError extends Error {}

const maxDepth = 64;
const literals = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Everything up to the closing quotation mark. Control characters must be escaped.
const string = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const unquoted = /[^\s"{}[\],:]+/y;

/**
 * Parses JSON with line comments, block comments and trailing commas, as editors write it. A key that occurs twice in an
 * object is refused: one of the two values would be lost.
 */
export function parseJsonText(text: string): unknown {
  let at = text.startsWith("\ufeff") ? 1 : 0;

  const fail = (message: string, position = at): never => {
    const before = text.slice(0, position).split(/\r\n|[\n\r]/);
    throw new JsonTextError(`Line ${before.length}, column ${before.at(-1)!.length + 1}: ${message}`);
  };

  const skip = (): void => {
    for (;;) {
      while (at < text.length && " \t\n\r".includes(text[at]!)) at += 1;
      if (text.startsWith("//", at)) {
        while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at += 1;
      } else if (text.startsWith("/*", at)) {
        const end = text.indexOf("*/", at + 2);
        if (end < 0) fail("The comment does not end. Close it with */.");
        at = end + 2;
      } else return;
    }
  };

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };

  const readString = (): string => {
    const start = at;
    const found = match(string);
    if (found === undefined) {
      return fail("The text in quotation marks is not closed, or has an invalid escape sequence.", start);
    }
    const value: unknown = JSON.parse(found);
    return String(value);
  };

  const readObject = (depth: number): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    at += 1;
    for (;;) {
      skip();
      if (text[at] === "}") break;
      const start = at;
      if (text[at] !== '"') fail(describeUnexpected("a key in double quotation marks or }"));
      const key = readString();
      if (Object.hasOwn(value, key)) fail(`The key "${shorten(key)}" occurs twice. Rename one.`, start);
      skip();
      if (text[at] !== ":") fail(describeUnexpected("a colon"));
      at += 1;
      // `__proto__` is a key like any other.
      Object.defineProperty(value, key, {
        ...{ value: readValue(depth + 1), enumerable: true, configurable: true, writable: true },
      });
      skip();
      if (text[at] === ",") at += 1;
      else if (text[at] !== "}") fail(describeUnexpected("a comma or }"));
    }
    at += 1;
    return value;
  };

  const readArray = (depth: number): unknown[] => {
    const value: unknown[] = [];
    at += 1;
    for (;;) {
      skip();
      if (text[at] === "]") break;
      value.push(readValue(depth + 1));
      skip();
      if (text[at] === ",") at += 1;
      else if (text[at] !== "]") fail(describeUnexpected("a comma or ]"));
    }
    at += 1;
    return value;
  };

  const describeUnexpected = (expected: string): string =>
    at >= text.length
      ? `The text ends, but ${expected} must follow.`
      : `Expected ${expected}, found ${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))}.`;

  function readValue(depth: number): unknown {
    skip();
    if (depth > maxDepth) fail(`More than ${maxDepth} levels. Send only the part with the servers.`);
    if (text[at] === "{") return readObject(depth);
    if (text[at] === "[") return readArray(depth);
    if (text[at] === '"') return readString();
    const start = at;
    const word = match(unquoted);
    if (word === undefined) return fail(describeUnexpected("a value"));
    const literal = literals.get(word);
    if (literal !== undefined) return literal;
    at = start;
    if (match(number) === word) return Number(word);
    at = start;
    return fail(describeUnexpected("a value"));
  }

  const value = readValue(0);
  skip();
  if (at < text.length) fail(describeUnexpected("the end of the text"));
  return value;
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
