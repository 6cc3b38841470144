import type { CallToolResult } from "@modelcontextprotocol/client";
import { listSecrets } from "../discovery/index.ts";
import { UpstreamError } from "./errors.ts";

export interface Redaction {
  /** Returns the value, without the secrets of the request. */
  clean<T>(value: T): T;
  /** The same for a result, with its size as JSON. Throws when it is larger than allowed. */
  cleanResult(result: CallToolResult, maxBytes: number): { result: CallToolResult; resultBytes: number };
  /** Errors that are not about the server are returned as they are. */
  cleanError(error: unknown): unknown;
}

/** Shorter values occur in ordinary texts. */
const minSecretLength = 8;
const replacement = "[redacted]";

/**
 * A server may repeat what it was sent, by mistake or in order to show it to somebody else. The credential of a request
 * is removed from everything that the server sends back.
 */
export function createRedaction(url: string, headers: Record<string, string>): Redaction {
  const parameters = url.includes("?") ? (URL.parse(url)?.searchParams.values() ?? []) : [];
  const secrets = [...Object.values(headers), ...parameters, ...listSecrets(url)]
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((value) => value.length >= minSecretLength)
    .sort((a, b) => b.length - a.length);
  const inJson = secrets.map((value) => JSON.stringify(value).slice(1, -1));
  const isIn = (json: string) => inJson.some((secret) => json.includes(secret));
  const cleanText = (text: string) =>
    secrets.reduce((kept, secret) => kept.replaceAll(secret, replacement), text);
  /** Replaces secrets in the values. In the JSON text, replacing a number or a part of an escape would make it invalid. */
  const cleanValue = (value: unknown): unknown => {
    if (typeof value === "string") return cleanText(value);
    if (typeof value === "number") return isIn(String(value)) ? replacement : value;
    if (Array.isArray(value)) return value.map(cleanValue);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [cleanText(key), cleanValue(inner)]),
    );
  };
  const clean = <T>(value: T): T => {
    if (secrets.length === 0 || value === undefined) return value;
    return isIn(JSON.stringify(value)) ? (cleanValue(value) as T) : value;
  };
  return {
    clean,
    cleanResult(result, maxBytes) {
      const json = JSON.stringify(result);
      const resultBytes = Buffer.byteLength(json);
      if (resultBytes > maxBytes)
        throw new UpstreamError("too_large", `The result is larger than ${maxBytes} bytes.`);
      return { result: isIn(json) ? (cleanValue(result) as CallToolResult) : result, resultBytes };
    },
    cleanError(error) {
      if (!(error instanceof UpstreamError)) return error;
      const { kind, message, status, rpc, challenge } = error;
      return isIn(JSON.stringify([rpc, challenge]))
        ? new UpstreamError(kind, message, { status, rpc: clean(rpc), challenge: clean(challenge) })
        : error;
    },
  };
}
