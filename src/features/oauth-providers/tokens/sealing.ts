import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";
import type { Tokens } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";
import { type Destination, describeDestination, destinationFields } from "../clients/index.ts";

type Column = "access_token" | "refresh_token";

/** A token, its organization, and the client that obtained it, whose provider receives the token. */
export interface TokenBinding {
  id: string;
  orgId: string;
  client: Destination;
}

const createPlace = ({ id, orgId, client }: TokenBinding, column: Column): Place => ({
  table: "oauth_tokens",
  row: id,
  column,
  organization: orgId,
  address: describeDestination(client),
});

export const openToken = (keyring: Keyring, token: TokenBinding, column: Column, sealed: string) =>
  keyring.open(sealed, createPlace(token, column));

/** Seals the provider's tokens for storage. */
export const sealTokens = (keyring: Keyring, token: TokenBinding, tokens: Tokens) => ({
  accessToken: keyring.seal(tokens.accessToken, createPlace(token, "access_token")),
  refreshToken: tokens.refreshToken
    ? keyring.seal(tokens.refreshToken, createPlace(token, "refresh_token"))
    : null,
  refreshHash: tokens.refreshToken ? hashSecret(tokens.refreshToken) : null,
  expiresAt: tokens.expiresAt === undefined ? null : new Date(tokens.expiresAt),
});

/** The columns that `signalbox reseal` seals again. */
export const sealedTokens: readonly SealedColumn[] = ["access_token", "refresh_token"].map((column) => ({
  table: "oauth_tokens",
  id: "id",
  column,
  organization: "org_id",
  address: {
    fields: `(select ${destinationFields} from oauth_client_credentials k where k.id = oauth_tokens.credentials_id)`,
    of: (fields: Destination) => describeDestination(fields),
  },
}));
