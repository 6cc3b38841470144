import type { Keyring } from "../../../platform/keyring.ts";
import type { Tokens } from "../../../platform/oauth/index.ts";
import { hashSecret } from "../../../platform/secrets.ts";

type Column = "access_token" | "refresh_token";

const placeOf = (row: string, column: Column) => ({ table: "oauth_tokens", row, column });

export const openToken = (keyring: Keyring, id: string, column: Column, sealed: string) =>
  keyring.open(sealed, placeOf(id, column));

/** What the provider gave, as it is stored. */
export const sealTokens = (keyring: Keyring, id: string, tokens: Tokens) => ({
  accessToken: keyring.seal(tokens.accessToken, placeOf(id, "access_token")),
  refreshToken: tokens.refreshToken ? keyring.seal(tokens.refreshToken, placeOf(id, "refresh_token")) : null,
  refreshHash: tokens.refreshToken ? hashSecret(tokens.refreshToken) : null,
  expiresAt: tokens.expiresAt === undefined ? null : new Date(tokens.expiresAt),
});
