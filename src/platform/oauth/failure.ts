import { EgressError } from "@signalbox/discovery/egress";

/**
 * `invalid_grant`: the stored grant is no longer valid. `rejected`: the server refused this request. `unavailable`: no
 * answer, or a request to retry later. `unusable`: an answer that cannot be understood.
 */
export type FailureKind = "invalid_grant" | "rejected" | "unavailable" | "unusable";

/**
 * Why a request to an authorization server failed. It has no `cause` and no text of the server, because both can contain
 * codes and tokens, and errors are logged and shown.
 */
export class OAuthFailure extends Error {
  override readonly name = "OAuthFailure";
  readonly kind: FailureKind;
  /** The server's error code if it sent one, else a code of our own. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  constructor(kind: FailureKind, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Converts an error without copying its contents. Faults of this program are returned unchanged. */
export function toFailure(error: unknown): unknown {
  if (error instanceof OAuthFailure) return error;
  if (error instanceof EgressError) return new OAuthFailure("unavailable", error.kind, error.message);
  const { name, code } = (error ?? {}) as { name?: string; code?: unknown };
  if (name === "TimeoutError" || name === "AbortError") {
    return new OAuthFailure("unavailable", "timeout", "The provider did not answer in time.");
  }
  if (typeof code === "string" && code.startsWith("OAUTH_")) {
    const short = code.replace(/^OAUTH_/, "").toLowerCase();
    return new OAuthFailure("unusable", short, `The provider's answer is not valid (${short}).`);
  }
  return error;
}

/** Codes are shown and stored, so text that could be a token is replaced. */
export const safeCode = (code: unknown): string =>
  typeof code === "string" && code.length <= 40 && /^[a-z]+(?:[_.-][a-z]+)*$/i.test(code)
    ? code
    : "unknown_error";
