import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { Transform } from "node:stream";
import { promisify } from "node:util";
import { z } from "zod";
import { OperatorError } from "../errors.ts";

/** How a file is encrypted. It is at the beginning of the file. */
export const Encryption = z.object({
  cipher: z.literal("aes-256-gcm"),
  chunkBytes: z.literal(65_536),
  kdf: z.literal("scrypt"),
  // The limits keep a damaged file from using all memory.
  cost: z.int().min(1_024).max(1_048_576),
  blockSize: z.literal(8),
  parallelization: z.literal(1),
  salt: z.base64().min(20),
});
export type Encryption = z.output<typeof Encryption>;

/** The key differs for each file because of its salt, so the number of a chunk is enough as its nonce. */
export const createEncryption = (cost = 131_072): Encryption => ({
  cipher: "aes-256-gcm",
  chunkBytes: 65_536,
  kdf: "scrypt",
  cost,
  blockSize: 8,
  parallelization: 1,
  salt: randomBytes(16).toString("base64"),
});

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);

const openKey = (passphrase: string, { cost, blockSize, parallelization, salt }: Encryption) =>
  deriveKey(passphrase.normalize("NFC"), Buffer.from(salt, "base64"), 32, {
    cost,
    blockSize,
    parallelization,
    maxmem: 256 * cost * blockSize,
  });

const tagBytes = 16;

/** The last chunk has its own nonce, so a file that was cut between two chunks does not open. */
function createNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(index), 0);
  nonce[11] = Number(isLast);
  return nonce;
}

/** Splits a stream into chunks and knows which of them is the last one. */
function createChunks(size: number, convert: (chunk: Buffer, index: number, isLast: boolean) => Buffer) {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let index = 0;
  return new Transform({
    transform(data: Buffer, _encoding, done) {
      waiting.push(data);
      bytes += data.length;
      try {
        if (bytes > size) {
          const all = Buffer.concat(waiting, bytes);
          let at = 0;
          // A chunk can be the last one until a byte follows it.
          for (; all.length - at > size; at += size)
            this.push(convert(all.subarray(at, at + size), index++, false));
          waiting = [all.subarray(at)];
          bytes = all.length - at;
        }
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        done(null, convert(Buffer.concat(waiting, bytes), index, true));
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/** `header` is everything in the file before the chunks. It is authenticated with each of them. */
export async function encrypt(
  passphrase: string,
  encryption: Encryption,
  header: Buffer,
): Promise<Transform> {
  const key = await openKey(passphrase, encryption);
  return createChunks(encryption.chunkBytes, (chunk, index, isLast) => {
    const cipher = createCipheriv("aes-256-gcm", key, createNonce(index, isLast)).setAAD(header);
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  });
}

export async function decrypt(
  passphrase: string,
  encryption: Encryption,
  header: Buffer,
): Promise<Transform> {
  const key = await openKey(passphrase, encryption);
  return createChunks(encryption.chunkBytes + tagBytes, (chunk, index, isLast) => {
    const end = chunk.length - tagBytes;
    if (end < 0) throw createDamage(index);
    const decipher = createDecipheriv("aes-256-gcm", key, createNonce(index, isLast), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(header).setAuthTag(chunk.subarray(end));
    const text = decipher.update(chunk.subarray(0, end));
    try {
      decipher.final();
    } catch {
      throw createDamage(index);
    }
    return text;
  });
}

const createDamage = (index: number) =>
  new OperatorError(
    index === 0
      ? "The backup does not open with this passphrase or key file. If it is the right one, the file is damaged."
      : `The backup is damaged or cut off: chunk ${index + 1} does not open. Use another copy of the file.`,
  );
