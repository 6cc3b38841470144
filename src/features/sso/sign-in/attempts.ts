import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";
import type { Identity } from "../people/index.ts";
import type { SamlProof } from "../saml/index.ts";

/** What an attempt keeps until the browser comes back. */
export interface Secrets {
  nonce: string;
  verifier: string;
  /** Sealed too, because the address of a page can contain the token of a link. */
  returnTo: string | null;
  /** The verified identity that waits for the person to prove an account. */
  identity?: Identity;
  /** The verified response that waits for the browser. */
  proof?: SamlProof;
}

export const sealedAttempts: SealedColumn = {
  table: "sso_attempts",
  id: "id",
  column: "secrets",
  organization: "org_id",
};

const createPlace = (organization: string, row: string): Place => ({
  table: "sso_attempts",
  row,
  column: "secrets",
  organization,
});

export const sealSecrets = (keyring: Keyring, orgId: string, id: string, secrets: Secrets) =>
  keyring.seal(JSON.stringify(secrets), createPlace(orgId, id));

export const openSecrets = (keyring: Keyring, orgId: string, id: string, sealed: string): Secrets =>
  JSON.parse(keyring.open(sealed, createPlace(orgId, id)));
