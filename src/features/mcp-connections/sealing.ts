import type { Keyring, Place, SealedColumn } from "../../platform/keyring.ts";

/** A secret of a connection is only sent to the origin of the connection's address. */
const findOrigin = (url: string): string => URL.parse(url)?.origin ?? url;

interface Binding {
  id: string;
  orgId: string;
  url: string;
}

const place = (table: string, column: string, { id, orgId, url }: Binding): Place => ({
  ...{ table, column, row: id, organization: orgId, address: findOrigin(url) },
});

/** The whole address, when the visible one hides parts that look like a credential. */
export const sealUrl = (keyring: Keyring, connection: Binding, url: string) =>
  keyring.seal(url, place("mcp_connections", "sealed_url", connection));
export const openUrl = (keyring: Keyring, connection: Binding, sealed: string) =>
  keyring.open(sealed, place("mcp_connections", "sealed_url", connection));

/** Headers with credentials. `id` is the id of the row of the credential. */
export const sealHeaders = (keyring: Keyring, credential: Binding, headers: Record<string, string>) =>
  keyring.seal(JSON.stringify(headers), place("mcp_credentials", "secret", credential));
export const openHeaders = (keyring: Keyring, credential: Binding, sealed: string): Record<string, string> =>
  JSON.parse(keyring.open(sealed, place("mcp_credentials", "secret", credential)));

/** The token that manages a registered client. `url` is where it does. */
export const sealManagementToken = (keyring: Keyring, registration: Binding, token: string) =>
  keyring.seal(token, place("mcp_registrations", "access_token", registration));
export const openManagementToken = (keyring: Keyring, registration: Binding, sealed: string) =>
  keyring.open(sealed, place("mcp_registrations", "access_token", registration));

const address = (fields: string) => ({ fields, of: ({ url }: { url: string }) => findOrigin(url) });

/** The columns that `signalbox reseal` seals again. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: "mcp_connections", id: "id", column: "sealed_url", organization: "org_id" },
    address: address("jsonb_build_object('url', url)"),
  },
  {
    ...{ table: "mcp_credentials", id: "id", column: "secret", organization: "org_id" },
    address: address(
      "(select jsonb_build_object('url', c.url) from mcp_connections c where c.id = mcp_credentials.connection_id)",
    ),
  },
  {
    ...{ table: "mcp_registrations", id: "id", column: "access_token", organization: "org_id" },
    address: address("jsonb_build_object('url', management_url)"),
  },
];
