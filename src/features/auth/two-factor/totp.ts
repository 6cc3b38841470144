import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Codes that change every half minute (RFC 6238): what every authenticator app knows how to make. */
const stepSeconds = 30;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** 160 random bits, as the RFC advises for SHA-1, in the base32 that people can type. */
export function newSecret(): string {
  let bits = 0;
  let held = 0;
  let text = "";
  for (const byte of randomBytes(20)) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
    held &= 31;
  }
  return text;
}

function bytesOf(secret: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of secret) {
    held = (held << 5) | alphabet.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= 255;
  }
  return Buffer.from(bytes);
}

export const stepAt = (ms: number) => Math.floor(ms / 1000 / stepSeconds);

export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const at = mac[19]! & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** The half minute a code belongs to: this one, or a neighbour, since clocks differ a little. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const steps = [0, -1, 1].map((offset) => stepAt(now) + offset);
  return steps.find((step) => timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)));
}

/** What authenticator apps read from a QR code. */
export const uriOf = (secret: string, account: string, issuer: string) =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${account}`)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
