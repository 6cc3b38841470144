/** What went wrong, for a program that handles errors by kind. */
export type ErrorKind =
  | "unreachable"
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "rate_limited"
  | "unavailable"
  | "server_error"
  | "refused";

/** Why there was no usable reply. `foreign_reply`: something other than Signalbox replied. */
export type UnreachableCode = "network" | "timeout" | "redirect" | "reply_too_long" | "foreign_reply";

interface ReplyDetails {
  /** The HTTP status. Undefined when there was no reply. */
  status?: number | undefined;
  /** The id of the request in the server's log. */
  requestId?: string | undefined;
  /** From `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined;
}

/** A request that failed. Its subclasses tell whether the server replied. */
export abstract class RequestError extends Error {
  abstract readonly kind: ErrorKind;
  /** The error code for programs, such as `automation_run_not_found`. */
  abstract readonly code: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(message: string, { status, requestId, retryAfterMs, ...options }: ReplyDetails & ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

interface UnreachableDetails extends ReplyDetails, ErrorOptions {
  code?: UnreachableCode;
  /** The target of a redirect. */
  location?: string | undefined;
}

/** The server gave no usable answer: it is down, too slow, or another program answers at its address. */
export class UnreachableError extends RequestError {
  override readonly kind = "unreachable";
  override readonly code: UnreachableCode;
  readonly url: string;
  readonly location: string | undefined;
  constructor(
    url: string,
    message: string,
    { code = "network", location, ...details }: UnreachableDetails = {},
  ) {
    super(message, details);
    this.url = url;
    this.code = code;
    this.location = location;
  }
}

/** The server understood the request and refused it. */
export class RefusedError extends RequestError {
  override readonly kind: ErrorKind;
  override readonly code: string;
  override readonly status: number;
  readonly body: Record<string, unknown>;
  constructor(status: number, body: Record<string, unknown>, details: Omit<ReplyDetails, "status"> = {}) {
    const code = typeof body.error === "string" ? body.error : `http_${status}`;
    super(describeBody(body) ?? code, { ...details, status });
    this.kind = readKind(status);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

const kinds: Record<number, ErrorKind> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  429: "rate_limited",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

function readKind(status: number): ErrorKind {
  if (status >= 500) return kinds[status] ?? "server_error";
  return kinds[status] ?? ([400, 413, 415, 422].includes(status) ? "invalid_request" : "refused");
}

function describeBody({ message, details }: Record<string, unknown>): string | undefined {
  if (typeof message === "string") return message;
  if (!Array.isArray(details)) return undefined;
  return details
    .slice(0, 5)
    .map((detail: { message?: unknown; path?: unknown }) => {
      const path = Array.isArray(detail?.path) ? detail.path.join(".") : "";
      return `${path ? `${path}: ` : ""}${String(detail?.message ?? "")}`;
    })
    .join(" ");
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  UND_ERR_SOCKET: "connection closed",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name cannot be resolved now",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
};

/** Describes a network error in a few words for a person. */
export function describeNetworkError(error: unknown): string {
  let innermost = error;
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause;
  if (!(innermost instanceof Error)) return String(innermost);
  if (innermost.name === "TimeoutError") return "no answer in time";
  const { code } = innermost as { code?: unknown };
  // The code of a DOMException is a number.
  return typeof code === "string" ? (reasons[code] ?? code) : innermost.message;
}

/** Wraps an error of `fetch` or of a body that is being read. */
export function toUnreachable(url: string, error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const reason = describeNetworkError(error);
  const code = reason === "no answer in time" ? "timeout" : "network";
  return new UnreachableError(url, reason, { code, cause: error });
}
