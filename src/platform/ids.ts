import { z } from "zod";
import { fillWithRandomBytes } from "./random.ts";

/**
 * TypeIDs: a prefix that says what it names, then a UUIDv7 in Crockford's base32, so that ids sort by
 * time and a member's id is never mistaken for a team's. `Id<"org">` keeps the two apart for the compiler.
 */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** The id being made: one for all, since a buffer for each costs more than everything else here. */
const bytes = Buffer.alloc(16);
let lastTime = 0;
let counter = 0;

/** Fills all of the id but its time. */
const fillRandom = () => fillWithRandomBytes(bytes, 6);

function writeTime(time: number): void {
  bytes.writeUInt16BE(Math.floor(time / 2 ** 32), 0);
  bytes.writeUInt32BE(time % 2 ** 32, 2);
}

export function newId<Prefix extends string>(prefix: Prefix): Id<Prefix> {
  fillRandom();
  // Within one millisecond a counter in the 12 bits after the version keeps the order of creation.
  const now = Date.now();
  if (now > lastTime) {
    lastTime = now;
    counter = ((bytes[6]! & 0x07) << 8) | bytes[7]!;
  } else if (++counter > 0xfff) {
    lastTime++;
    counter = 0;
  }
  writeTime(lastTime);
  bytes[6] = 0x70 | (counter >> 8);
  bytes[7] = counter & 0xff;
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return `${prefix}_${encode(bytes)}`;
}

/** Creates an id for the given time, for history that is written later. */
export function newIdAt<Prefix extends string>(prefix: Prefix, time: number): Id<Prefix> {
  fillRandom();
  writeTime(Math.floor(time));
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return `${prefix}_${encode(bytes)}`;
}

/** Maximum difference between the clocks of the database and of the processes that create ids. */
const clockSkewMs = 15 * 60 * 1000;

/**
 * Returns bounds for the ids of rows that were created between two times, so that an index of ids serves a time filter.
 */
export const idsBetween = (prefix: string, from: number | undefined, to: number | undefined) => ({
  first: from === undefined ? undefined : smallestIdAt(prefix, from - clockSkewMs),
  end: to === undefined ? undefined : smallestIdAt(prefix, to + clockSkewMs),
});

/** The smallest id that `newIdAt` can create for this time. */
export function smallestIdAt(prefix: string, time: number): string {
  const smallest = Buffer.alloc(16);
  smallest.writeUIntBE(Math.min(Math.max(Math.floor(time), 0), 2 ** 48 - 1), 0, 6);
  return `${prefix}_${encode(smallest)}`;
}

function encode(bytes: Uint8Array): string {
  let text = "";
  // 26 digits of 5 bits are 130 for our 128: the first begins with two zeros.
  let bits = 2;
  let held = 0;
  for (let i = 0; i < 16; i++) {
    held = (held << 8) | bytes[i]!;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
    held &= 31;
  }
  return text;
}

/** True for a well-formed id of that kind; a malformed one is not worth a query. */
export function isId<Prefix extends string>(prefix: Prefix, text: string): text is Id<Prefix> {
  return (
    text.length === prefix.length + 27 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}

/**
 * The schema of an id in a reply. It checks the prefix; the API description shows a plain string.
 * Ids in requests are strings: a service answers 404 for one that is not well-formed.
 */
export const idSchema = <Prefix extends string>(prefix: Prefix) =>
  z.string().refine((text): text is Id<Prefix> => text.startsWith(`${prefix}_`));
