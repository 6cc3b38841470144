import type { Place, SealedColumn } from "../../../platform/keyring.ts";
import { knownProviders } from "../catalogue/index.ts";
import type { CredentialsRow } from "./store.ts";

export type Destination = Pick<CredentialsRow, "providerId" | "tenant" | "server">;

/**
 * Where a client's secret and its tokens are sent. The endpoints of a known provider are part of the program, so its
 * name and tenant say it all; those of a custom one stand in the database.
 */
export function addressOf({ providerId, tenant, server }: Destination): string {
  if (knownProviders().has(providerId)) return `${providerId} ${tenant ?? ""}`;
  if (!server) return "";
  const { tokenEndpoint, refreshEndpoint, revocation, account } = server;
  const asked =
    account?.from === "userinfo"
      ? account.endpoint
      : account?.from === "id_token"
        ? account.userinfo
        : undefined;
  const urls = [tokenEndpoint, refreshEndpoint, revocation?.endpoint, asked].filter(
    (url) => url !== undefined,
  );
  return [...new Set(urls.map((url) => URL.parse(url)?.origin ?? url))].sort().join(" ");
}

type Column = "secret" | "private_key";

/** A private key signs and is never sent, so it has no address. */
export const placeOf = (
  organization: string,
  row: Destination & { credentialsId: string },
  column: Column,
): Place => ({
  table: "oauth_client_credentials",
  row: row.credentialsId,
  column,
  organization,
  address: column === "secret" ? addressOf(row) : undefined,
});

/** SQL that gives the `Destination` of a row of client credentials. */
export const destinationFields =
  "jsonb_build_object('providerId', provider_id, 'tenant', tenant, 'server', server)";

/** What `signalbox reseal` walks. */
export const sealedCredentials: readonly SealedColumn[] = [
  {
    table: "oauth_client_credentials",
    id: "id",
    column: "secret",
    organization: "org_id",
    address: { fields: destinationFields, of: (fields: Destination) => addressOf(fields) },
  },
  { table: "oauth_client_credentials", id: "id", column: "private_key", organization: "org_id" },
];
