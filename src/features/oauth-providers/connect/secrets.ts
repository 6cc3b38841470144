import { hash, randomInt } from "node:crypto";
import { type Id, isId } from "../../../platform/ids.ts";
import type { Keyring } from "../../../platform/keyring.ts";
import { newState } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";

const idPrefix = "oat_";
/** The length of an id without its prefix. */
const idLength = 26;

export interface ParsedState {
  id: string;
  stateHash: string;
}

/** A state begins with the id of its attempt, so that the hash of the state needs no index. */
export const createState = (id: Id<"oat">): string => id.slice(idPrefix.length) + newState();

export function parseState(state: string): ParsedState | undefined {
  const id = idPrefix + state.slice(0, idLength);
  return isId("oat", id) ? { id, stateHash: hashSecret(state) } : undefined;
}

interface AttemptSecrets {
  /** The key that they were derived with. */
  keyId: string;
  verifier: string;
  nonce: string;
}

/**
 * The secrets of an attempt are derived from its state, and the database has only the hash of the state. So a copy of the
 * database contains neither of them. The provider sees the nonce, which does not reveal the verifier: it is a hash of it.
 */
export function deriveSecrets(keyring: Keyring, state: string, keyId?: string): AttemptSecrets {
  const verifier = keyring.deriveFrom("connect verifier", state, keyId);
  return {
    keyId: verifier.keyId,
    verifier: verifier.value,
    nonce: hash("sha256", `nonce ${verifier.value}`, "base64url"),
  };
}

/** Characters that do not look alike. Ten of them have 48 bits, enough for five tries in ten minutes. */
const codeCharacters = "23456789ABCDEFGHJKLMNPQRSTUVWX";

export const createClaimCode = (): string => {
  const code = Array.from({ length: 10 }, () => codeCharacters[randomInt(codeCharacters.length)]).join("");
  return `${code.slice(0, 5)}-${code.slice(5)}`;
};

/** Accepts lower case and separators, because people type the code. */
export const hashClaimCode = (code: string): string =>
  hashSecret(code.toUpperCase().replace(/[^0-9A-Z]/g, ""));
