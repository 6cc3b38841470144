/** Bytes of a statement's value in several pieces, which are sent one after the other without being joined. */
export class ByteParts {
  readonly parts: readonly Uint8Array[];
  readonly length: number;
  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

/** A value as it is sent: a text in text format, bytes in binary format. */
export type BoundValue = string | Uint8Array | ByteParts | null;

/** Bytes from this size on are sent from where they are. Copying fewer is cheaper than another piece. */
const minUncopied = 4096;

const isUncopied = (value: BoundValue): value is Uint8Array | ByteParts =>
  value instanceof ByteParts || (value instanceof Uint8Array && value.length >= minUncopied);

/**
 * Writes the Bind message, which carries the values of a statement, in pieces that follow each other. The functions of
 * the drivers copy all bytes several times: a group of pushes with half a megabyte left two megabytes of garbage.
 */
export function serializeBind(statement: string, values: readonly BoundValue[]): Uint8Array[] {
  const sizes: number[] = [];
  let messageSize = 15 + Buffer.byteLength(statement) + values.length * 6;
  let copiedSize = messageSize;
  for (const value of values) {
    const size = value === null ? 0 : typeof value === "string" ? Buffer.byteLength(value) : value.length;
    sizes.push(size);
    messageSize += size;
    if (!isUncopied(value)) copiedSize += size;
  }
  const copied = Buffer.allocUnsafe(copiedSize);
  const pieces: Uint8Array[] = [];
  let from = 0;
  copied[0] = bindCode;
  copied.writeInt32BE(messageSize - 1, 1);
  // The portal has no name.
  copied[5] = 0;
  let at = 6 + copied.write(statement, 6);
  copied[at++] = 0;
  at = copied.writeUInt16BE(values.length, at);
  for (const value of values)
    at = copied.writeInt16BE(value !== null && typeof value === "object" ? 1 : 0, at);
  at = copied.writeUInt16BE(values.length, at);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    at = copied.writeInt32BE(value === null ? -1 : sizes[i]!, at);
    if (typeof value === "string") at += copied.write(value, at);
    else if (isUncopied(value)) {
      pieces.push(copied.subarray(from, at), ...(value instanceof ByteParts ? value.parts : [value]));
      from = at;
    } else if (value) {
      copied.set(value, at);
      at += sizes[i]!;
    }
  }
  // One format for all columns of the result: text.
  at = copied.writeInt16BE(1, at);
  copied.writeInt16BE(0, at);
  pieces.push(copied.subarray(from));
  return pieces;
}

const bindCode = "B".charCodeAt(0);
