/** The server gave no usable answer: it is down, too slow, or another program answers at its address. */
export class UnreachableError extends Error {
  readonly url: string;
  constructor(url: string, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.url = url;
  }
}

/** The server understood the request and refused it. */
export class RefusedError extends Error {
  readonly status: number;
  /** The error code for programs, such as `automation_run_not_found`. */
  readonly code: string;
  readonly body: Record<string, unknown>;
  /** From `Retry-After`, in seconds. */
  readonly retryAfter: number | undefined;
  constructor(status: number, body: Record<string, unknown>, retryAfter?: number) {
    const code = typeof body.error === "string" ? body.error : `http_${status}`;
    super(describe(body) ?? code);
    this.status = status;
    this.code = code;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

function describe({ message, details }: Record<string, unknown>): string | undefined {
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
export function reasonOf(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  if (!(at instanceof Error)) return String(at);
  if (at.name === "TimeoutError") return "no answer in time";
  const { code } = at as NodeJS.ErrnoException;
  // The code of a DOMException is a number.
  return typeof code === "string" ? (reasons[code] ?? code) : at.message;
}
