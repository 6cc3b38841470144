import type { Keyring, Place, SealedColumn } from "../../../../platform/keyring.ts";

const toPlace = (orgId: string, id: string): Place => ({
  table: "mcp_approvals",
  row: id,
  column: "arguments",
  organization: orgId,
});

export const sealArguments = (keyring: Keyring, orgId: string, id: string, args: string) =>
  keyring.seal(args, toPlace(orgId, id));

export const openArguments = (keyring: Keyring, orgId: string, id: string, sealed: string) =>
  keyring.open(sealed, toPlace(orgId, id));

/** The columns that `signalbox reseal` seals again. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "mcp_approvals", id: "id", column: "arguments", organization: "org_id" },
];
