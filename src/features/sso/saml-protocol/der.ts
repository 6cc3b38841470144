/** DER, only as much as a self-signed certificate needs. */

const encodeLength = (length: number): number[] => {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
};

const encode = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);

export const sequence = (...items: Uint8Array[]) => encode(0x30, Buffer.concat(items));
export const set = (...items: Uint8Array[]) => encode(0x31, Buffer.concat(items));
/** An element with an explicit context tag. */
export const tagged = (number: number, content: Uint8Array) => encode(0xa0 | number, content);
export const octetString = (content: Uint8Array) => encode(0x04, content);
export const bitString = (content: Uint8Array, unusedBits = 0) =>
  encode(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));
export const utf8String = (text: string) => encode(0x0c, Buffer.from(text, "utf8"));
export const nothing = () => encode(0x05, new Uint8Array());
export const truth = () => encode(0x01, Buffer.from([0xff]));

/** A positive integer. A leading bit that is set would make it negative. */
export const integer = (bytes: Uint8Array) =>
  encode(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

export function objectId(id: string): Buffer {
  const [first, second, ...rest] = id.split(".").map(Number);
  const bytes = [first! * 40 + second!];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let high = Math.floor(part / 128); high > 0; high = Math.floor(high / 128))
      groups.unshift((high & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return encode(0x06, Buffer.from(bytes));
}

/** Certificates write years before 2050 with two digits. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/[-:T]|\.\d+/g, "")}`;
  return date.getUTCFullYear() < 2050
    ? encode(0x17, Buffer.from(digits.slice(2)))
    : encode(0x18, Buffer.from(digits));
}
