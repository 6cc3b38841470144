import type { JsonObject } from "./json.ts";

/** Revisions without a handshake, newest first. */
export const MODERN_VERSIONS = ["2026-07-28"] as const;
/** Revisions that begin with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
] as const;

export const UNSUPPORTED_VERSION = -32022;
export const METHOD_NOT_FOUND = -32601;
/** Codes that only a 2026-07-28 server knows: header mismatch, missing client capability, unsupported version. */
const MODERN_CODES = new Set([-32020, -32021, UNSUPPORTED_VERSION]);

export interface ClientInfo {
  name: string;
  version: string;
}

/** What a 2026-07-28 request carries instead of a handshake: the same facts in every request. */
export function modernRequest(
  method: string,
  version: string,
  clientInfo: ClientInfo,
  params: JsonObject = {},
) {
  return {
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": clientInfo,
      },
    },
    headers: { "mcp-protocol-version": version, "mcp-method": method },
  };
}

export function isModernError(code: number): boolean {
  return MODERN_CODES.has(code);
}

/** The versions that a version error offers, in `data.supported` as every revision writes it. */
export function offeredVersions(data: unknown): string[] {
  const offered = (data as { supported?: unknown } | null | undefined)?.supported;
  if (!Array.isArray(offered)) return [];
  return offered
    .filter((version) => typeof version === "string" && /^[\w.-]{1,40}$/.test(version))
    .slice(0, 20);
}

/** A JSON-RPC error that means "who are you?" though the HTTP status does not say so. */
export function asksForCredentials({ code, message }: { code: number; message: string }): boolean {
  return (
    code === 401 ||
    /unauthori[sz]ed|unauthenticated|not (?:authenticated|logged in|signed in)|(?:authentication|authori[sz]ation|login|sign-?in)(?: header| token)? (?:is )?(?:required|missing|failed)|(?:missing|invalid|no) (?:api[ _-]?key|access token|bearer|credentials|authori[sz]ation|auth token)/i.test(
      message,
    )
  );
}
