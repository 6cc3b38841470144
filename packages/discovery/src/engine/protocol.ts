import type { JsonObject } from "./json.ts";

/** Revisions without a handshake, newest first. */
export const modernVersions = ["2026-07-28"] as const;
/** Revisions that begin with `initialize`, newest first. */
export const handshakeVersions = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
] as const;

export const UNSUPPORTED_VERSION = -32022;
export const METHOD_NOT_FOUND = -32601;
/** Codes that only 2026-07-28 defines: header mismatch, missing client capability, unsupported version. */
const modernCodes = new Set([-32020, -32021, UNSUPPORTED_VERSION]);

export interface ClientInfo {
  name: string;
  version: string;
}

/** The revision that a message is sent in. Handshake revisions name the session instead, once there is one. */
type MessageProtocol =
  | { era: "modern"; version: string }
  | { era: "handshake"; version?: string | undefined; session?: string };

export interface RpcMessageToSend {
  method: string;
  params?: JsonObject;
  /** Absent for a notification. */
  id?: number;
  protocol: MessageProtocol;
}

/** Encodes a message as a body and its headers. */
export function encodeMessage(
  { method, params, id, protocol }: RpcMessageToSend,
  clientInfo: ClientInfo,
): { body: string; headers: Record<string, string> } {
  const jsonrpc = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method };
  if (protocol.era === "handshake") {
    const body = JSON.stringify({ ...jsonrpc, ...(params ? { params } : {}) });
    return { body, headers: formatSessionHeaders(protocol) };
  }
  // There is no handshake in 2026-07-28, so every message carries the version and the client.
  const { version } = protocol;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": clientInfo,
  };
  return {
    body: JSON.stringify({ ...jsonrpc, params: { ...params, _meta } }),
    headers: { "mcp-protocol-version": version, "mcp-method": method },
  };
}

export function formatSessionHeaders({
  version,
  session,
}: {
  version?: string | undefined;
  session?: string;
}): Record<string, string> {
  return {
    ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
}

export function isModernError(code: number): boolean {
  return modernCodes.has(code);
}

/** Returns the versions that a version error lists in `data.supported`. */
export function readOfferedVersions(data: unknown): string[] {
  const offered = (data as { supported?: unknown } | null | undefined)?.supported;
  if (!Array.isArray(offered)) return [];
  return offered.filter(isProtocolVersion).slice(0, 20);
}

/** Returns true for text of the form that protocol versions have, whether or not the version is known. */
export function isProtocolVersion(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]{1,40}$/.test(value);
}

/** Recognizes a JSON-RPC error that asks for credentials although the HTTP status does not. */
export function asksForCredentials(code: number, message: string): boolean {
  return (
    code === 401 ||
    /unauthori[sz]ed|unauthenticated|not (?:authenticated|logged in|signed in)|(?:authentication|authori[sz]ation|login|sign-?in)(?: header| token)? (?:is )?(?:required|missing|failed)|(?:missing|invalid|no) (?:api[ _-]?key|access token|bearer|credentials|authori[sz]ation|auth token)/i.test(
      message,
    )
  );
}
