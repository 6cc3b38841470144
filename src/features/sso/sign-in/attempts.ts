import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { newId } from "../../../platform/ids.ts";
import type { Place, SealedColumn } from "../../../platform/keyring.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import type { ConnectorRow } from "../connectors/index.ts";
import type { Identity, Proof } from "../people/index.ts";
import * as store from "./store.ts";

/** What an attempt keeps until the browser returns. */
export interface Secrets {
  /** Of OpenID Connect. */
  nonce?: string;
  verifier?: string;
  /** The age of the sign-in at the provider that the request allows, if it names one. */
  maxAgeSeconds?: number | undefined;
  /** Sealed too, because the address of a page can contain the token of a link. */
  returnTo: string | null;
  /** The provider or another site started the sign-in, not a page of ours or the person. */
  isStartedElsewhere?: boolean;
  /** The verified identity that waits for the person to prove an account. */
  identity?: Identity;
  /** The verified proof that waits for the browser, or for the person to confirm it. */
  proof?: Proof;
  /** Who would be signed in, for the page that asks. */
  person?: { name: string; email: string };
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

export const openSecrets = (
  { keyring }: Pick<Ctx, "keyring">,
  { orgId, id, secrets }: Pick<store.Attempt, "orgId" | "id" | "secrets">,
): Secrets => JSON.parse(keyring.open(secrets, createPlace(orgId, id)));

/** In the log of the connector, the answer of the person who confirms is part of the sign-in. */
export const toEventPurpose = (purpose: store.Purpose) => (purpose === "confirm" ? "sign_in" : purpose);

const minutes = 10;

interface NewAttempt extends Pick<store.Attempt, "purpose" | "browserHash"> {
  /** Whoever has it continues the attempt, once. Only its hash is stored. */
  token: string;
  /** The id of the SAML request. */
  requestId?: string | undefined;
  secrets: Secrets;
  userId?: store.Attempt["userId"];
}

/** Stores a step of a sign-in that the browser continues within ten minutes. */
export async function insertAttempt(
  { keyring }: Pick<Ctx, "keyring">,
  db: Db,
  { orgId, id: connectorId }: Pick<ConnectorRow, "orgId" | "id">,
  { token, secrets, userId = null, ...given }: NewAttempt,
): Promise<{ expiresAt: number }> {
  const id = newId("sat");
  return (await store.insert(db, orgId, {
    ...given,
    id,
    connectorId,
    userId,
    minutes,
    stateHash: hashSecret(token),
    secrets: keyring.seal(JSON.stringify(secrets), createPlace(orgId, id)),
  }))!;
}
