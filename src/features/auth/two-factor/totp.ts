import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Codes change every 30 seconds (RFC 6238). Every authenticator app supports this. */
const stepSeconds = 30;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Creates 160 random bits, as the RFC recommends for SHA-1, in base32 so that people can type them. */
export function createSecret(): string {
  let bits = 0;
  let buffer = 0;
  let text = "";
  for (const byte of randomBytes(20)) {
    buffer = (buffer << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(buffer >> (bits - 5)) & 31];
    buffer &= 31;
  }
  return text;
}

function decodeSecret(secret: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let buffer = 0;
  for (const letter of secret) {
    buffer = (buffer << 5) | alphabet.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 255);
    buffer &= 255;
  }
  return Buffer.from(bytes);
}

export const stepAt = (ms: number) => Math.floor(ms / 1000 / stepSeconds);

export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", decodeSecret(secret)).update(counter).digest();
  const at = mac[19]! & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Returns the time step of a code: the current one or one next to it, because clocks differ. */
export function findStep(secret: string, code: string, now: number): number | undefined {
  const steps = [0, -1, 1].map((offset) => stepAt(now) + offset);
  return steps.find((step) => timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)));
}

/** Creates the URI that authenticator apps read from a QR code. */
export const createUri = (secret: string, account: string, issuer: string) =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${account}`)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
