import { randomInt } from "node:crypto";
import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";
import { hashSecret } from "../../../platform/secrets.ts";

interface Secrets {
  verifier: string;
  nonce: string;
}

export const sealedAttempts: SealedColumn = {
  table: "oauth_attempts",
  id: "id",
  column: "secrets",
  organization: "org_id",
};

const createPlace = (organization: string, row: string): Place => ({
  table: "oauth_attempts",
  row,
  column: "secrets",
  organization,
});

export const sealSecrets = (keyring: Keyring, orgId: string, id: string, secrets: Secrets) =>
  keyring.seal(JSON.stringify(secrets), createPlace(orgId, id));

export const openSecrets = (keyring: Keyring, orgId: string, id: string, sealed: string): Secrets =>
  JSON.parse(keyring.open(sealed, createPlace(orgId, id)));

/** Characters that do not look alike. Ten of them have 48 bits, enough for five tries in ten minutes. */
const codeCharacters = "23456789ABCDEFGHJKLMNPQRSTUVWX";

export const createClaimCode = (): string => {
  const code = Array.from({ length: 10 }, () => codeCharacters[randomInt(codeCharacters.length)]).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
};

/** Accepts lower case and separators, because people type the code. */
export const hashClaimCode = (code: string): string =>
  hashSecret(code.toUpperCase().replace(/[^0-9A-Z]/g, ""));
