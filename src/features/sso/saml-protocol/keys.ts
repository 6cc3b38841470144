import { generateKeyPair, type KeyObject, randomBytes, sign } from "node:crypto";
import { promisify } from "node:util";
import * as der from "./der.ts";
import type { ServiceProviderKeys } from "./settings.ts";

const years = 10;
const rsaWithSha256 = () => der.sequence(der.objectId("1.2.840.113549.1.1.11"), der.nothing());

const extension = (id: string, value: Buffer) =>
  der.sequence(der.objectId(id), der.truth(), der.octetString(value));

/** Writes a certificate for a key, signed with an RSA key. */
export function writeCertificate(
  name: string,
  now: Date,
  publicKey: KeyObject,
  signingKey: KeyObject,
): string {
  const end = new Date(now);
  end.setUTCFullYear(end.getUTCFullYear() + years);
  const commonName = der.sequence(der.objectId("2.5.4.3"), der.utf8String(name.slice(0, 64)));
  const distinguishedName = der.sequence(der.set(commonName));
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const isNoAuthority = extension("2.5.29.19", der.sequence());
  // digitalSignature and keyEncipherment
  const usage = extension("2.5.29.15", der.bitString(Buffer.from([0b1010_0000]), 5));
  const body = der.sequence(
    der.tagged(0, der.integer(Buffer.from([2]))),
    der.integer(serial),
    rsaWithSha256(),
    distinguishedName,
    der.sequence(der.time(now), der.time(end)),
    distinguishedName,
    publicKey.export({ type: "spki", format: "der" }),
    der.tagged(3, der.sequence(isNoAuthority, usage)),
  );
  return toPem(der.sequence(body, rsaWithSha256(), der.bitString(sign("sha256", body, signingKey))));
}

/**
 * Creates a key pair of a connector with a self-signed certificate. Identity providers only take the key from it.
 * The certificate is written here because the libraries for it have a dozen dependencies, and OpenSSL is not on every
 * machine.
 */
export async function createServiceProviderKeys(
  name: string,
  now: Date,
  { bits = 3072 } = {},
): Promise<ServiceProviderKeys> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: bits });
  return {
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    certificate: writeCertificate(name, now, publicKey, privateKey),
  };
}

export const toPem = (certificate: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate)
    .toString("base64")
    .replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;

/** The base64 of a certificate in PEM, as XML wants it. */
export const toBareBase64 = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, "");
