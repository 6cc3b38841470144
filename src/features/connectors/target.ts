import { baseUrlOf } from "./address.ts";
import type { Target } from "./source/index.ts";

/** With the address of its server, which most connectors leave to the kind of their code host. */
export const targetOf = <Row extends Omit<Target, "baseUrl"> & { baseUrl: string | null }>(
  row: Row,
): Target & Row & { baseUrl: string } => ({
  ...row,
  baseUrl: baseUrlOf(row.codehost, row.baseUrl) ?? new URL(row.cloneUrl).origin,
});
