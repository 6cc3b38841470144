/** The kinds of fields that the messages of OTLP have. `hex` is for ids, which are hexadecimal text in JSON. */
type Scalar = "string" | "hex" | "bool" | "int32" | "int64" | "fixed64" | "sfixed64" | "double";

interface Field {
  name: string;
  type: Scalar | (() => MessageType);
  repeated?: true;
}

/** The fields of a message by their numbers. Other fields are skipped. */
export type MessageType = Readonly<Record<number, Field>>;

export type Message = { [name: string]: unknown };

/** The bytes are not a message of the protocol, or it is larger than allowed. */
export class WireError extends Error {}

const maxDepth = 24;
/** Every message becomes an object, and an empty one takes only two bytes. */
const maxMessages = 200_000;

/** Decodes protobuf into the form that the same message has in JSON; 64-bit integers are `bigint`. */
export function decodeMessage(type: MessageType, bytes: Uint8Array): Message {
  return new Decoder(bytes).message(type, bytes.length, 0);
}

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #messages = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  message(type: MessageType, end: number, depth: number): Message {
    if (depth > maxDepth) throw new WireError(`The message is nested more than ${maxDepth} deep.`);
    if (++this.#messages > maxMessages)
      throw new WireError(`The body has more than ${maxMessages} messages.`);
    const message: Message = {};
    while (this.#at < end) {
      const tag = this.#varint32();
      const field = type[tag >>> 3];
      const wire = tag & 7;
      if (tag >>> 3 === 0) throw new WireError("A field has the number 0.");
      if (!field || wire !== findWireType(field)) this.#skip(wire, end);
      else this.#read(message, field, end, depth);
    }
    if (this.#at !== end) throw new WireError("A field is longer than its message.");
    return message;
  }

  #read(message: Message, { name, type, repeated }: Field, end: number, depth: number): void {
    const value =
      typeof type === "string" ? this.#scalar(type, end) : this.message(type(), this.#length(end), depth + 1);
    if (!repeated) message[name] = value;
    else if (Array.isArray(message[name])) message[name].push(value);
    else message[name] = [value];
  }

  #scalar(type: Scalar, end: number): unknown {
    switch (type) {
      case "string":
        return this.#text(this.#length(end));
      case "hex":
        return Buffer.from(this.#take(this.#length(end) - this.#at)).toString("hex");
      case "bool":
        return this.#varint64() !== 0n;
      case "int32":
        return Number(BigInt.asIntN(32, this.#varint64()));
      case "int64":
        return BigInt.asIntN(64, this.#varint64());
      case "fixed64":
        return this.#fixed64(end, (at) => this.#view.getBigUint64(at, true));
      case "sfixed64":
        return this.#fixed64(end, (at) => this.#view.getBigInt64(at, true));
      case "double":
        return this.#fixed64(end, (at) => this.#view.getFloat64(at, true));
    }
  }

  #skip(wire: number, end: number): void {
    if (wire === 0) this.#varint64();
    else if (wire === 1) this.#move(8, end);
    else if (wire === 2) this.#at = this.#length(end);
    else if (wire === 5) this.#move(4, end);
    else throw new WireError(`The wire type ${wire} is not supported.`);
  }

  /** Reads a length and returns where its field ends. */
  #length(end: number): number {
    const length = this.#number();
    if (length > end - this.#at) throw new WireError("A field is longer than its message.");
    return this.#at + length;
  }

  #text(end: number): string {
    return utf8.decode(this.#take(end - this.#at));
  }

  #take(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #fixed64<T>(end: number, read: (at: number) => T): T {
    const at = this.#at;
    this.#move(8, end);
    return read(at);
  }

  #move(length: number, end: number): void {
    if (end - this.#at < length) throw new WireError("The body ends inside a field.");
    this.#at += length;
  }

  /** Field numbers and wire types fit 32 bits. */
  #varint32(): number {
    const value = this.#number();
    if (value > 0xffff_ffff) throw new WireError("A field number is too large.");
    return value;
  }

  /** Reads a varint whose exact value matters only below 2^53. Most are short, and numbers are faster than `bigint`. */
  #number(): number {
    const start = this.#at;
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return low;
    }
    this.#at = start;
    return Number(this.#varint64());
  }

  #varint64(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError("A number has more than ten bytes.");
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new WireError("The body ends inside a field.");
    return byte;
  }
}

const utf8 = new TextDecoder();

function findWireType({ type }: Field): number {
  if (typeof type !== "string" || type === "string" || type === "hex") return 2;
  return type === "fixed64" || type === "sfixed64" || type === "double" ? 1 : 0;
}

/** Encodes the few fields of replies. Fields with the default value are left out. */
export function encodeFields(fields: readonly (readonly [number: number, value: FieldValue])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [number, value] of fields) {
    if (value === undefined || value === 0 || value === "") continue;
    if (typeof value === "number") parts.push(encodeVarint(number << 3), encodeVarint(value));
    else {
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      parts.push(encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes);
    }
  }
  return Buffer.concat(parts);
}

type FieldValue = string | number | Uint8Array | undefined;

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
