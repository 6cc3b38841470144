import type { OrgId } from "../../../platform/context.ts";
import type { Keyring, Place, SealedColumn } from "../../../platform/keyring.ts";

/** Arguments and result of a call, as they are sealed. */
export interface Payload {
  arguments: unknown;
  result: unknown;
}

/** Larger ones are not stored. */
const maxPartBytes = 256 * 1024;

const createPlace = (orgId: OrgId, callId: string): Place => ({
  table: "mcp_call_payloads",
  row: callId,
  column: "payload",
  organization: orgId,
});

export const sealPayload = (keyring: Keyring, orgId: OrgId, callId: string, payload: Payload): string =>
  keyring.seal(
    JSON.stringify({ arguments: limitPart(payload.arguments), result: limitPart(payload.result) }),
    createPlace(orgId, callId),
  );

export const openPayload = (keyring: Keyring, orgId: OrgId, callId: string, sealed: string): Payload =>
  JSON.parse(keyring.open(sealed, createPlace(orgId, callId)));

function limitPart(value: unknown): unknown {
  if (value === undefined) return null;
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? "null");
  return bytes <= maxPartBytes
    ? value
    : { omitted: `It has ${bytes} bytes; ${maxPartBytes} are stored at most.` };
}

/** The column that `signalbox reseal` seals again. */
export const sealedPayloads: SealedColumn = {
  table: "mcp_call_payloads",
  id: "call_id",
  column: "payload",
  organization: "org_id",
};
