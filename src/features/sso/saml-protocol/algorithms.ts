import { constants, createHash } from "node:crypto";

interface Signing {
  hash: string;
  keyType: "rsa" | "ec";
  options: { dsaEncoding?: "ieee-p1363"; padding?: number; saltLength?: number };
}

const rsa = (hash: string): Signing => ({ hash, keyType: "rsa", options: {} });
const ecdsa = (hash: string): Signing => ({ hash, keyType: "ec", options: { dsaEncoding: "ieee-p1363" } });
const pss = (hash: string): Signing => ({
  hash,
  keyType: "rsa",
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
});
const more = "http://www.w3.org/2001/04/xmldsig-more#";

/** The accepted signature algorithms. SHA-1 and HMAC are absent on purpose. */
export const signatureAlgorithms: Record<string, Signing> = {
  [`${more}rsa-sha256`]: rsa("sha256"),
  [`${more}rsa-sha384`]: rsa("sha384"),
  [`${more}rsa-sha512`]: rsa("sha512"),
  [`${more}ecdsa-sha256`]: ecdsa("sha256"),
  [`${more}ecdsa-sha384`]: ecdsa("sha384"),
  [`${more}ecdsa-sha512`]: ecdsa("sha512"),
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1": pss("sha256"),
};
export const rsaSha256 = `${more}rsa-sha256`;

const hashWith = (name: string) => (text: string) => createHash(name).update(text, "utf8").digest("base64");

/** The accepted digest algorithms of signatures. */
export const hashAlgorithms: Record<string, (text: string) => string> = {
  "http://www.w3.org/2001/04/xmlenc#sha256": hashWith("sha256"),
  [`${more}sha384`]: hashWith("sha384"),
  "http://www.w3.org/2001/04/xmlenc#sha512": hashWith("sha512"),
};

/** The accepted ciphers of assertions. CBC does not authenticate: it is accepted only below a signature. */
export const ciphers: Record<string, { name: string; keyBytes: number; authenticates: boolean }> = {
  "http://www.w3.org/2009/xmlenc11#aes128-gcm": { name: "aes-128-gcm", keyBytes: 16, authenticates: true },
  "http://www.w3.org/2009/xmlenc11#aes192-gcm": { name: "aes-192-gcm", keyBytes: 24, authenticates: true },
  "http://www.w3.org/2009/xmlenc11#aes256-gcm": { name: "aes-256-gcm", keyBytes: 32, authenticates: true },
  "http://www.w3.org/2001/04/xmlenc#aes128-cbc": { name: "aes-128-cbc", keyBytes: 16, authenticates: false },
  "http://www.w3.org/2001/04/xmlenc#aes192-cbc": { name: "aes-192-cbc", keyBytes: 24, authenticates: false },
  "http://www.w3.org/2001/04/xmlenc#aes256-cbc": { name: "aes-256-cbc", keyBytes: 32, authenticates: false },
};

/** Hashes of RSA-OAEP. SHA-1 is accepted here, since OAEP does not rely on collision resistance. */
export const oaepHashes: Record<string, string> = {
  "http://www.w3.org/2000/09/xmldsig#sha1": "sha1",
  "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
  [`${more}sha384`]: "sha384",
  "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
};
export const oaepMasks: Record<string, string> = {
  "http://www.w3.org/2009/xmlenc11#mgf1sha1": "sha1",
  "http://www.w3.org/2009/xmlenc11#mgf1sha256": "sha256",
  "http://www.w3.org/2009/xmlenc11#mgf1sha384": "sha384",
  "http://www.w3.org/2009/xmlenc11#mgf1sha512": "sha512",
};
