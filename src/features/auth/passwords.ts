import { type Argon2Parameters, argon2, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** What OWASP recommends for argon2id: 19 MiB, two passes, one lane. A hash takes about 30 ms. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
/** Larger costs in a stored hash are refused, so that a changed row cannot use up the memory. */
const maxCost = { memory: 262_144, passes: 20, parallelism: 8 };
const keyBytes = 32;

const deriveArgon2 = promisify(argon2) as (name: "argon2id", terms: Argon2Parameters) => Promise<Buffer>;
const deriveScrypt = promisify(scrypt) as (
  password: string,
  salt: string,
  bytes: number,
  terms: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>;

/** Keyboards differ in how they write the same letter. */
const normalize = (password: string) => password.normalize("NFKC");
const encode = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

/** Hashes a password. Slow on purpose: never call it inside a transaction. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const key = await deriveArgon2("argon2id", {
    message: normalize(password),
    nonce,
    tagLength: keyBytes,
    ...cost,
  });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(key)}`;
}

const phcFormat = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** Hashes from before argon2id: the salt as text, and the key of scrypt. */
const scryptFormat = /^([0-9a-f]{32}):([0-9a-f]{128})$/;

/** Whether this is the password of the hash. False for a hash of an unknown format. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const phc = phcFormat.exec(hash);
  if (phc) {
    const [memory, passes, parallelism] = phc.slice(1, 4).map(Number) as [number, number, number];
    if (memory > maxCost.memory || passes > maxCost.passes || parallelism > maxCost.parallelism) return false;
    const expected = Buffer.from(phc[5]!, "base64");
    const key = await deriveArgon2("argon2id", {
      message: normalize(password),
      nonce: Buffer.from(phc[4]!, "base64"),
      tagLength: expected.length,
      memory,
      passes,
      parallelism,
    });
    return timingSafeEqual(key, expected);
  }
  const old = scryptFormat.exec(hash);
  if (!old) return false;
  const parameters = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 };
  return timingSafeEqual(
    await deriveScrypt(normalize(password), old[1]!, 64, parameters),
    Buffer.from(old[2]!, "hex"),
  );
}

/** Whether the hash has another format or cost than new ones. */
export const isOutdatedHash = (hash: string): boolean =>
  !hash.startsWith(`$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$`);
