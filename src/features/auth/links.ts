import { createHash, createHmac } from "node:crypto";
import type { Keyring } from "../../platform/keyring.ts";
import { isSameSecret } from "../../platform/secrets.ts";

/** How long the links in mails work. */
const verificationHours = 24;
export const resetMinutes = 60;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (keyring: Keyring, text: string) =>
  createHmac("sha256", keyring.derive("auth")).update(text).digest("base64url");

/**
 * The token of a link that confirms an address: a JWT (HS256). It needs no row, because opening the link twice must
 * do no harm.
 */
export function createVerificationToken(keyring: Keyring, email: string, now = Date.now()): string {
  const iat = Math.floor(now / 1000);
  const text = `${encode({ alg: "HS256" })}.${encode({ email, iat, exp: iat + verificationHours * 3600 })}`;
  return `${text}.${sign(keyring, text)}`;
}

/** The address that a verification token is for. Undefined when it has expired or was changed. */
export function readVerificationToken(keyring: Keyring, token: string, now = Date.now()): string | undefined {
  const [header, payload, signature, ...rest] = token.split(".");
  if (!header || !payload || !signature || rest.length > 0) return undefined;
  if (!isSameSecret(signature, sign(keyring, `${header}.${payload}`))) return undefined;
  const { alg } = JSON.parse(Buffer.from(header, "base64url").toString()) as { alg?: unknown };
  const { email, exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as {
    email?: unknown;
    exp?: unknown;
  };
  if (alg !== "HS256" || typeof email !== "string" || typeof exp !== "number") return undefined;
  return exp * 1000 > now ? email : undefined;
}

/** What is stored of a reset link. */
export const hashResetToken = (token: string): string =>
  createHash("sha256").update(`reset-password:${token}`).digest("base64url");
