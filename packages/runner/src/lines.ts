/** One line of a program's output. */
export interface Line {
  text: string;
  /** The length of the whole line. Set when `text` is only its beginning. */
  bytes?: number;
}

const newline = 10;
const carriageReturn = 13;

/**
 * Splits a stream of bytes into lines. Holds at most `maxBytes` of a line that does not end; further bytes are only
 * counted.
 */
export function createLineSplitter(maxBytes: number) {
  let held: Buffer[] = [];
  let kept = 0;
  let total = 0;

  const hold = (piece: Buffer) => {
    total += piece.length;
    const fits = piece.subarray(0, maxBytes - kept);
    if (fits.length === 0) return;
    held.push(fits);
    kept += fits.length;
  };
  const finish = (): Line => {
    let bytes = held.length === 1 ? held[0]! : Buffer.concat(held);
    const isCut = total > kept;
    if (!isCut && bytes.at(-1) === carriageReturn) bytes = bytes.subarray(0, -1);
    const line = isCut
      ? { text: decodeWholeCharacters(bytes), bytes: total }
      : { text: bytes.toString("utf8") };
    held = [];
    kept = 0;
    total = 0;
    return line;
  };

  return {
    push(chunk: Buffer): Line[] {
      const lines: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        hold(chunk.subarray(from, at));
        lines.push(finish());
        from = at + 1;
      }
      if (from < chunk.length) hold(chunk.subarray(from));
      return lines;
    },
    /** The text after the last newline. */
    end: (): Line[] => (total > 0 ? [finish()] : []),
  };
}

/** Decodes bytes without the incomplete character at their end. */
function decodeWholeCharacters(bytes: Buffer): string {
  let end = bytes.length;
  // A character has up to four bytes. All but its first are 10xxxxxx.
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.toString("utf8", 0, end);
}
