import { findBaseUrl } from "../code-hosts.ts";
import type { Target } from "./read.ts";

/** Adds the base URL of the code host, which most connectors leave out. */
export const completeTarget = <Row extends Omit<Target, "baseUrl"> & { baseUrl: string | null }>(
  row: Row,
): Target & Row & { baseUrl: string } => ({
  ...row,
  baseUrl: findBaseUrl(row.codehost, row.baseUrl) ?? new URL(row.cloneUrl).origin,
});
