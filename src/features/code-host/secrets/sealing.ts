import type { Place, SealedColumn } from "../../../platform/keyring.ts";

export const createSecretPlace = (organization: string, id: string): Place => ({
  table: "connector_secrets",
  row: id,
  column: "secret",
  organization,
});

/** The column that `signalbox reseal` seals again. */
export const sealedSecrets: SealedColumn = {
  table: "connector_secrets",
  id: "id",
  column: "secret",
  organization: "org_id",
};
