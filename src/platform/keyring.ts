import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { OperatorError } from "./errors.ts";

/** The one place in the database a sealed value belongs to; it opens nowhere else. */
export interface Place {
  table: string;
  row: string;
  column: string;
}

/** Where sealed values are kept, for whoever walks all of them. */
export interface SealedColumn {
  table: string;
  /** An SQL expression that gives the `row` of the place. */
  id: string;
  column: string;
}

export interface Keyring {
  seal(plain: string, place: Place): string;
  open(sealed: string, place: Place): string;
  /** The text every value sealed by the current key starts with: what re-sealing looks for. */
  readonly currentPrefix: string;
  /** Which of our keys sealed it, as far as its beginning tells. */
  keyOf(sealed: string): "current" | "previous" | "unknown";
  /** A key of its own for another purpose, derived from the current secret. */
  derive(purpose: string): string;
}

interface Key {
  id: string;
  bytes: Buffer;
}

/**
 * AES-256-GCM under a key derived from the instance's secret. The key's id stands in the text, so that
 * an old key opens what it sealed while a new one seals; table, row and column are authenticated, so a
 * value copied into another row does not open.
 */
export function createKeyring(secret: string, previous: readonly string[] = []): Keyring {
  const current = deriveKey(secret);
  const keys = new Map([...previous.map(deriveKey), current].map((key) => [key.id, key]));
  const currentPrefix = `v1.${current.id}.`;
  return {
    currentPrefix,
    seal(plain, place) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", current.bytes, nonce).setAAD(aad(place));
      const body = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return currentPrefix + body.toString("base64url");
    },
    open(sealed, place) {
      const [version, id = "", text = ""] = sealed.split(".");
      const key = keys.get(id);
      if (version !== "v1") throw new UnsealError("the value is not sealed in a known format");
      if (!key) {
        throw new UnsealError(
          "it was sealed under another secret; put that one into SIGNALBOX_SECRET_PREVIOUS and run `signalbox reseal`",
        );
      }
      const body = Buffer.from(text, "base64url");
      try {
        const cipher = createDecipheriv("aes-256-gcm", key.bytes, body.subarray(0, 12), tag).setAAD(
          aad(place),
        );
        cipher.setAuthTag(body.subarray(-16));
        return cipher.update(body.subarray(12, -16), undefined, "utf8") + cipher.final("utf8");
      } catch {
        throw new UnsealError(
          `it was altered, or moved from another place than ${place.table}.${place.column}`,
        );
      }
    },
    keyOf(sealed) {
      if (sealed.startsWith(currentPrefix)) return "current";
      const [version, id = ""] = sealed.split(".");
      return version === "v1" && keys.has(id) ? "previous" : "unknown";
    },
    derive: (purpose) =>
      Buffer.from(hkdfSync("sha256", secret, "", `signalbox ${purpose}`, 32)).toString("base64url"),
  };
}

/** A name for the instance that tells nothing of its secret: every process that has the secret gives the same. */
export const instanceId = (keyring: Pick<Keyring, "derive">): string =>
  keyring.derive("instance id").slice(0, 16);

export class UnsealError extends OperatorError {
  constructor(why: string) {
    super(`A sealed value does not open: ${why}.`);
  }
}

function deriveKey(secret: string): Key {
  const bytes = Buffer.from(hkdfSync("sha256", secret, "", "signalbox sealing v1", 32));
  // An id of the key itself, not of the secret: it can be shown without helping anyone guess.
  return { bytes, id: createHash("sha256").update("key id").update(bytes).digest("hex").slice(0, 8) };
}

// Left to itself the library takes the tag as short as a forger wants it.
const tag = { authTagLength: 16 };

const aad = ({ table, row, column }: Place) => Buffer.from(JSON.stringify([table, row, column]));
