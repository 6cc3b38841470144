/**
 * Why an operation at an outside server has no result. `challenge`: the credential was refused, or its scopes do not
 * suffice. `rejected`: the server answered with a JSON-RPC error. `unanswered`: the server asked, and the caller's client
 * did not answer. `busy`: this instance has no capacity. `unavailable`, `timed_out`, `too_large` and `invalid_answer` are
 * faults of the server.
 */
export type UpstreamErrorKind =
  | "challenge"
  | "rejected"
  | "unanswered"
  | "unavailable"
  | "timed_out"
  | "cancelled"
  | "busy"
  | "too_large"
  | "invalid_answer";

export interface UpstreamChallenge {
  status: 401 | 403;
  /** The scopes that the server asks for. */
  scopes: string[];
  reason: string;
}

interface UpstreamErrorDetails {
  status?: number | undefined;
  rpc?: UpstreamError["rpc"];
  challenge?: UpstreamChallenge | undefined;
  hadAnswer?: boolean;
  cause?: unknown;
}

/** Whether the server may answer the same to one account only, and differently to others. */
export const isAboutAccount = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && (error.status ?? 0) >= 400 && (error.status ?? 0) < 500;

/** The message is for a person, and has no byte of a credential. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly kind: UpstreamErrorKind;
  /** The HTTP status, if one decided. */
  readonly status: number | undefined;
  /** The JSON-RPC error of the server, for `rejected`. */
  readonly rpc: { code: number; message: string; data?: unknown } | undefined;
  readonly challenge: UpstreamChallenge | undefined;
  /** For `timed_out`: the server had begun to answer. */
  readonly hadAnswer: boolean;
  constructor(kind: UpstreamErrorKind, message: string, details: UpstreamErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.rpc = details.rpc;
    this.challenge = details.challenge;
    this.hadAnswer = details.hadAnswer ?? false;
  }
}
