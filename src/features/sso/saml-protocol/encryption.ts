import { constants, createDecipheriv, privateDecrypt } from "node:crypto";
import { ciphers, oaepHashes, oaepMasks } from "./algorithms.ts";
import { readBase64 } from "./base64.ts";
import { SamlError } from "./errors.ts";
import {
  childElements,
  childrenNamed,
  decodeUtf8,
  namespaces,
  parseXml,
  readAttribute,
  readText,
  type XmlDocument,
  type XmlElement,
} from "./xml.ts";

const { encryption: xenc, encryption11: xenc11, signature: dsig } = namespaces;

const takeOne = (found: XmlElement[]): XmlElement => {
  if (found.length !== 1) throw new SamlError("saml_decryption_failed");
  return found[0]!;
};
const takeChild = (element: XmlElement, name: string) => takeOne(childrenNamed(element, xenc, name));

function readCipherValue(element: XmlElement): Buffer {
  const text = readText(takeChild(takeChild(element, "CipherData"), "CipherValue"));
  const bytes = text === undefined ? undefined : readBase64(text);
  if (!bytes) throw new SamlError("saml_decryption_failed");
  return bytes;
}

/** The encrypted key is inside KeyInfo of the data, or beside the data. Several recipients are not supported. */
function findEncryptedKey(encryptedAssertion: XmlElement, data: XmlElement): XmlElement {
  const inside = childrenNamed(data, dsig, "KeyInfo").flatMap((info) =>
    childrenNamed(info, xenc, "EncryptedKey"),
  );
  return takeOne([...inside, ...childrenNamed(encryptedAssertion, xenc, "EncryptedKey")]);
}

/** Node has one hash for both parts of OAEP, so they must be equal. */
function readOaepHash(method: XmlElement): string {
  const algorithm = readAttribute(method, "Algorithm");
  const [digest] = childrenNamed(method, dsig, "DigestMethod");
  const hash = digest ? oaepHashes[readAttribute(digest, "Algorithm") ?? ""] : "sha1";
  const [maskElement] = childrenNamed(method, xenc11, "MGF");
  const mask = maskElement ? oaepMasks[readAttribute(maskElement, "Algorithm") ?? ""] : "sha1";
  const known = algorithm === `${xenc}rsa-oaep-mgf1p` || algorithm === `${xenc11}rsa-oaep`;
  const hasParameters = childElements(method).some((each) => each.localName === "OAEPparams");
  const fits = algorithm === `${xenc11}rsa-oaep` ? hash === mask : hash === "sha1" && !maskElement;
  if (!known || !hash || !fits || hasParameters) throw new SamlError("saml_algorithm_forbidden");
  return hash;
}

/**
 * Decrypts an EncryptedAssertion with the first key that fits. Every failure after the algorithms are known has the same
 * code, so that a sender learns nothing about the plain text.
 */
export function decryptAssertion(
  encryptedAssertion: XmlElement,
  privateKeys: readonly string[],
  { isSigned }: { isSigned: boolean },
): XmlDocument {
  const data = takeChild(encryptedAssertion, "EncryptedData");
  const cipher = ciphers[readAttribute(takeChild(data, "EncryptionMethod"), "Algorithm") ?? ""];
  if (!cipher) throw new SamlError("saml_algorithm_forbidden");
  if (!cipher.authenticates && !isSigned) throw new SamlError("saml_encryption_unsigned_cbc");
  const encryptedKey = findEncryptedKey(encryptedAssertion, data);
  const oaepHash = readOaepHash(takeChild(encryptedKey, "EncryptionMethod"));
  const sealedKey = readCipherValue(encryptedKey);
  const content = readCipherValue(data);
  for (const key of privateKeys) {
    try {
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      const contentKey = privateDecrypt({ key, padding, oaepHash }, sealedKey);
      if (contentKey.length === cipher.keyBytes)
        return parseXml(decodeUtf8(decryptContent(cipher, contentKey, content)));
    } catch {
      // The next key may be the right one.
    }
  }
  throw new SamlError("saml_decryption_failed");
}

function decryptContent(
  { name, authenticates }: { name: string; authenticates: boolean },
  key: Buffer,
  content: Buffer,
): Buffer {
  if (authenticates) {
    if (content.length < 12 + 16) throw new SamlError("saml_decryption_failed");
    const decipher = createDecipheriv(name as "aes-256-gcm", key, content.subarray(0, 12), {
      authTagLength: 16,
    });
    decipher.setAuthTag(content.subarray(-16));
    return Buffer.concat([decipher.update(content.subarray(12, -16)), decipher.final()]);
  }
  const decipher = createDecipheriv(name, key, content.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(content.subarray(16)), decipher.final()]);
  // XML Encryption defines only the last byte of the padding.
  const count = padded.at(-1) ?? 0;
  if (count < 1 || count > 16) throw new SamlError("saml_decryption_failed");
  return padded.subarray(0, -count);
}
