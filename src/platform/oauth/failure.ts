import { EgressError } from "../egress/index.ts";

/**
 * `invalid_grant`: what we hold is worth nothing any more. `rejected`: the server said no, to this request.
 * `unavailable`: no answer, or one that says to come back. `unusable`: an answer that means nothing.
 */
export type FailureKind = "invalid_grant" | "rejected" | "unavailable" | "unusable";

/**
 * Why a server gave us nothing. It has no `cause` and no text of the server: those carry codes and tokens,
 * and errors get logged and shown.
 */
export class OAuthFailure extends Error {
  override readonly name = "OAuthFailure";
  readonly kind: FailureKind;
  /** The server's own code where it gave one, else what was wrong. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  constructor(kind: FailureKind, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whatever was thrown on the way, without what it carries. Faults of our own stay what they are. */
export function toFailure(error: unknown): unknown {
  if (error instanceof OAuthFailure) return error;
  if (error instanceof EgressError) return new OAuthFailure("unavailable", error.kind, error.message);
  const { name, code } = (error ?? {}) as { name?: string; code?: unknown };
  if (name === "TimeoutError" || name === "AbortError") {
    return new OAuthFailure("unavailable", "timeout", "The provider did not answer in time.");
  }
  if (typeof code === "string" && code.startsWith("OAUTH_")) {
    const short = code.replace(/^OAUTH_/, "").toLowerCase();
    return new OAuthFailure("unusable", short, `The provider's answer does not hold (${short}).`);
  }
  return error;
}

/** Codes are shown and kept: only what reads like one, and not like a token that was sent back to us. */
export const safeCode = (code: unknown): string =>
  typeof code === "string" && code.length <= 40 && /^[a-z]+(?:[_.-][a-z]+)*$/i.test(code)
    ? code
    : "unknown_error";
