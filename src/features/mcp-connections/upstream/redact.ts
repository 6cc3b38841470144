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
    .map((value) => JSON.stringify(value).slice(1, -1))
    .sort((a, b) => b.length - a.length);
  const isIn = (json: string) => secrets.some((secret) => json.includes(secret));
  const cleanText = (json: string) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, replacement), json);
  const clean = <T>(value: T): T => {
    if (secrets.length === 0 || value === undefined) return value;
    const json = JSON.stringify(value);
    return isIn(json) ? JSON.parse(cleanText(json)) : value;
  };
  return {
    clean,
    cleanResult(result, maxBytes) {
      const json = JSON.stringify(result);
      const resultBytes = Buffer.byteLength(json);
      if (resultBytes > maxBytes)
        throw new UpstreamError("too_large", `The result is larger than ${maxBytes} bytes.`);
      return { result: isIn(json) ? JSON.parse(cleanText(json)) : result, resultBytes };
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
