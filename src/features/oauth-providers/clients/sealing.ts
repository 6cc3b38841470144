import type { Place, SealedColumn } from "../../../platform/keyring.ts";
import { knownProviders } from "../catalogue/index.ts";
import type { CredentialsRow } from "./store.ts";

export type Destination = Pick<CredentialsRow, "providerId" | "tenant" | "server">;

/**
 * The servers that receive a client's secret and its tokens. A known provider's endpoints are part of the program, so
 * its id and tenant identify them. A custom provider's endpoints are in the database, so their origins are used.
 */
export function describeDestination({ providerId, tenant, server }: Destination): string {
  if (knownProviders.has(providerId)) return `${providerId} ${tenant ?? ""}`;
  if (!server) return "";
  const { tokenEndpoint, refreshEndpoint, revocation, account, tokenAudience } = server;
  const asked =
    account?.from === "userinfo"
      ? account.endpoint
      : account?.from === "id_token"
        ? account.userinfo
        : undefined;
  const urls = [tokenEndpoint, refreshEndpoint, revocation?.endpoint, asked, tokenAudience].filter(
    (url) => url !== undefined,
  );
  return [...new Set(urls.map((url) => URL.parse(url)?.origin ?? url))].sort().join(" ");
}

type Column = "secret" | "private_key" | "resource";

/** A private key signs and is never sent, and a resource is an address itself, so they have no address. */
export const createPlace = (
  organization: string,
  row: Destination & { credentialsId: string },
  column: Column,
): Place => ({
  table: "oauth_client_credentials",
  row: row.credentialsId,
  column,
  organization,
  address: column === "secret" ? describeDestination(row) : undefined,
});

/** SQL that builds the `Destination` of a row of oauth_client_credentials. */
export const destinationFields =
  "jsonb_build_object('providerId', provider_id, 'tenant', tenant, 'server', server)";

/** The columns that `signalbox reseal` seals again. */
export const sealedCredentials: readonly SealedColumn[] = [
  {
    table: "oauth_client_credentials",
    id: "id",
    column: "secret",
    organization: "org_id",
    address: { fields: destinationFields, of: (fields: Destination) => describeDestination(fields) },
  },
  { table: "oauth_client_credentials", id: "id", column: "private_key", organization: "org_id" },
  { table: "oauth_client_credentials", id: "id", column: "resource", organization: "org_id" },
];
