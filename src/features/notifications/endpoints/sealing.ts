import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";

type Column = "secret" | "previous_secret";

const toPlace = (organization: string, row: string, column: Column): Place => ({
  table: "webhook_endpoints",
  row,
  column,
  organization,
});

/** The columns that `signalbox reseal` seals again. */
export const sealedColumns: SealedColumn[] = (["secret", "previous_secret"] as const).map((column) => ({
  table: "webhook_endpoints",
  id: "id",
  column,
  organization: "org_id",
}));

export const sealSecret = (keyring: Keyring, orgId: string, id: string, column: Column, secret: string) =>
  keyring.seal(secret, toPlace(orgId, id, column));

export const openSecret = (keyring: Keyring, orgId: string, id: string, column: Column, sealed: string) =>
  keyring.open(sealed, toPlace(orgId, id, column));
