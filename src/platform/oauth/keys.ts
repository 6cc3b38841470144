import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
} from "node:crypto";

/** Returns the signature algorithm for a type of key. */
function findAlgorithm(key: KeyObject): { name: string; namedCurve?: string; hash?: string } | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  if (asymmetricKeyType === "ed25519") return { name: "Ed25519" };
  if (asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) {
    return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  }
  const curves: Record<string, string> = { prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" };
  const namedCurve = asymmetricKeyType === "ec" && curves[asymmetricKeyDetails?.namedCurve ?? ""];
  return namedCurve ? { name: "ECDSA", namedCurve } : undefined;
}

function readSigningKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return findAlgorithm(key) && key;
  } catch {
    return undefined;
  }
}

/** Returns the key as PKCS #8 in PEM, or undefined when it cannot sign for a client. */
export const normalizeKey = (pem: string): string | undefined =>
  readSigningKey(pem)?.export({ type: "pkcs8", format: "pem" }).toString();

export const newKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

/** The public key with which the server checks our signatures. */
export const publicJwk = (pem: string, keyId: string | undefined): Record<string, unknown> => ({
  ...createPublicKey(createPrivateKey(pem)).export({ format: "jwk" }),
  use: "sig",
  ...(keyId ? { kid: keyId } : {}),
});

export async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const key = createPrivateKey(pem);
  const der = key.export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", new Uint8Array(der), findAlgorithm(key)!, false, ["sign"]);
}
