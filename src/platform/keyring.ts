import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import { OperatorError } from "./errors.ts";
import { takeRandomBytes } from "./random.ts";

/** The one place in the database a sealed value belongs to; it opens nowhere else. */
export interface Place {
  table: string;
  row: string;
  column: string;
  /** The organization that owns the value, if any. */
  organization?: string | undefined;
  /** For a credential: the address it is sent to. The value does not open when its row names another address. */
  address?: string | undefined;
}

/** A column with sealed values, for code that reads all of them. */
export interface SealedColumn {
  table: string;
  /** An SQL expression that gives the `row` of the place. */
  id: string;
  column: string;
  /** An SQL expression that gives the organization of the place, if it has one. */
  organization?: string;
  /** An SQL expression that gives JSON, and a function that computes the address of the place from it. */
  address?: { fields: string; of(fields: never): string | undefined };
}

export interface Keyring {
  seal(plain: string, place: Place): string;
  open(sealed: string, place: Place): string;
  /** The prefix of every value that the current key sealed in the current format. */
  readonly currentPrefix: string;
  /** Stops opening values of the first format. Call it when all of them have been resealed. */
  endFirstFormat(): void;
  /** Which of our keys sealed the value, by its prefix. `previous` includes values of the first format. */
  findKeyId(sealed: string): "current" | "previous" | "unknown";
  /** A key of its own for another purpose, derived from the current secret. */
  derive(purpose: string): string;
  /** Signs a text for one purpose with HMAC-SHA-256 under the current key. The signature contains the key id. */
  sign(purpose: string, text: string): string;
  /** Derives 32 bytes as base64url that nobody can compute without the key, which is the current one or the named one. */
  deriveFrom(purpose: string, text: string, keyId?: string): { keyId: string; value: string };
  /** True when the key with this id is configured. */
  has(keyId: string): boolean;
  /** Which of our keys signed this text for this purpose. */
  checkSignature(purpose: string, text: string, signature: string): SignatureCheck;
}

/** `invalid`: not the signature of this text. `unknown`: made under a secret that is not configured. */
export type SignatureCheck = "current" | "previous" | "unknown" | "invalid";

/** The part of a key ring that authenticates rows. */
export type Signer = Pick<Keyring, "sign" | "checkSignature">;

/** Key objects, because the library makes one of bytes for every use, which costs several times the use itself. */
interface Key {
  id: string;
  sealing: KeyObject;
  /** Signing keys by purpose. */
  signing: Map<string, KeyObject>;
  secret: string;
}

/**
 * AES-256-GCM under a key derived from the instance's secret. The sealed text contains the key id, so that an old key
 * still opens what it sealed. Table, row, column, organization and address are authenticated, so a value does not open
 * after it was moved, or after its row names another destination. The first format (`v1`) does not authenticate
 * organization and address.
 */
export function createKeyring(secret: string, previous: readonly string[] = []): Keyring {
  const current = deriveKey(secret);
  const keys = new Map([...previous.map(deriveKey), current].map((key) => [key.id, key]));
  const currentPrefix = `v2.${current.id}.`;
  let opensFirstFormat = true;
  return {
    currentPrefix,
    seal(plain, place) {
      const nonce = takeRandomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", current.sealing, nonce).setAAD(aad(place));
      const body = Buffer.concat([nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return currentPrefix + body.toString("base64url");
    },
    open(sealed, place) {
      const [version, id = "", text = ""] = sealed.split(".");
      const key = keys.get(id);
      const authenticated = version === "v2" ? aad(place) : firstAad(place);
      if (version !== "v2" && version !== "v1")
        throw new UnsealError("the value is not sealed in a known format");
      if (version === "v1" && !opensFirstFormat)
        throw new UnsealError("it is in the first format, which ended when all values were resealed");
      if (!key) {
        throw new UnsealError(
          "it was sealed under another secret; put that one into SIGNALBOX_SECRET_PREVIOUS and run `signalbox reseal`",
        );
      }
      const body = Buffer.from(text, "base64url");
      try {
        const cipher = createDecipheriv("aes-256-gcm", key.sealing, body.subarray(0, 12), tag).setAAD(
          authenticated,
        );
        cipher.setAuthTag(body.subarray(-16));
        return cipher.update(body.subarray(12, -16), undefined, "utf8") + cipher.final("utf8");
      } catch {
        throw new UnsealError(
          `it was altered, it was copied into ${place.table}.${place.column} from another place, or its row names another organization or address`,
        );
      }
    },
    findKeyId(sealed) {
      if (sealed.startsWith(currentPrefix)) return "current";
      const [version, id = ""] = sealed.split(".");
      return (version === "v1" || version === "v2") && keys.has(id) ? "previous" : "unknown";
    },
    endFirstFormat() {
      opensFirstFormat = false;
    },
    sign: (purpose, text) => `v1.${current.id}.${hmac(current, purpose, text).toString("base64url")}`,
    checkSignature(purpose, text, signature) {
      const [version, id = "", tag = ""] = signature.split(".");
      const key = keys.get(id);
      if (version !== "v1" || !key) return version === "v1" && id ? "unknown" : "invalid";
      const [given, expected] = [Buffer.from(tag, "base64url"), hmac(key, purpose, text)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "invalid";
      return key === current ? "current" : "previous";
    },
    has: (keyId) => keys.has(keyId),
    deriveFrom(purpose, text, keyId = current.id) {
      const key = keys.get(keyId);
      if (!key)
        throw new UnsealError("it was derived under another secret, which is not configured any more");
      return { keyId, value: hmac(key, purpose, text).toString("base64url") };
    },
    derive: (purpose) =>
      Buffer.from(hkdfSync("sha256", secret, "", `signalbox ${purpose}`, 32)).toString("base64url"),
  };
}

/** Returns an id of the instance that is the same in every process with this secret, and does not reveal it. */
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
  const id = createHash("sha256").update("key id").update(bytes).digest("hex").slice(0, 8);
  return { sealing: createSecretKey(bytes), id, secret, signing: new Map() };
}

function hmac(key: Key, purpose: string, text: string): Buffer {
  let signing = key.signing.get(purpose);
  if (!signing) {
    const bytes = hkdfSync("sha256", key.secret, "", `signalbox signing v1 ${purpose}`, 32);
    signing = createSecretKey(Buffer.from(bytes));
    key.signing.set(purpose, signing);
  }
  return createHmac("sha256", signing).update(text).digest();
}

// Without a fixed length the library accepts short tags, which are easier to forge.
const tag = { authTagLength: 16 };

const firstAad = ({ table, row, column }: Place) => Buffer.from(JSON.stringify([table, row, column]));
const aad = ({ table, row, column, organization = "", address = "" }: Place) =>
  Buffer.from(JSON.stringify([table, row, column, organization, address]));
