import { createHash, createHmac, hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { takeRandomBytes } from "./random.ts";

/**
 * Tokens of our own: prefix, 30 random letters and digits (178 bits), 6 that are their checksum. The
 * prefix lets scanners find a leaked one, the checksum lets us refuse a mistyped one without a query.
 */
const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export const newToken = (prefix: string): string => formToken(prefix, () => takeRandomBytes(48));

/** Always returns the same token for the same key and text. Nobody without the key can derive it. */
export const deriveToken = (prefix: string, key: string, from: string): string =>
  formToken(prefix, (round) => createHmac("sha512", key).update(`${round} ${from}`).digest());

function formToken(prefix: string, createBytes: (round: number) => Buffer): string {
  let body = "";
  for (let round = 0; body.length < 30; round++) {
    for (const byte of createBytes(round)) {
      // 248 is the largest multiple of 62 in a byte: beyond it the first letters would come up more often.
      if (byte < 248 && body.length < 30) body += letters[byte % 62];
    }
  }
  return prefix + body + checksum(prefix + body);
}

export function isToken(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + 36 &&
    text.startsWith(prefix) &&
    /^[0-9A-Za-z]{36}$/.test(text.slice(prefix.length)) &&
    text.endsWith(checksum(text.slice(0, -6)))
  );
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = letters[value % 62] + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** A secret for signing webhooks: 32 random bytes in the format of Standard Webhooks. */
export const newSigningSecret = () => `whsec_${takeRandomBytes(32).toString("base64")}`;

/** The stored form of a secret that is only compared. Our secrets are random, so a fast hash is enough. */
export const hashSecret = (secret: string): string => hash("sha256", secret, "base64url");

/** Compares in constant time, so that the duration does not show where the two differ. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}
