const quote = 34;
const backslash = 92;

/**
 * Whether a JSON text is nested deeper than `maxDepth`. Parsing a megabyte of brackets takes a hundred times as long as
 * finding out that there are too many, and nothing else runs in the meantime.
 */
export function isNestedDeeper(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = findEndOfString(text, i);
      if (i === -1) return false;
    }
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    else if ((code & 0xdf) === 0x5b && code < 128) {
      depth++;
      if (depth > maxDepth) return true;
    } else if ((code & 0xdf) === 0x5d && code < 128) depth--;
  }
  return false;
}

/** The index of the quote that ends the string that begins at `start`, or -1. */
function findEndOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}
