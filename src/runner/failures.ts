import { OperatorError } from "../platform/errors.ts";

/** No answer, or one that says "later". Worth trying again. */
export class Unreachable extends Error {
  readonly retryAfterMs: number;
  constructor(reason: string, retryAfterMs = 0) {
    super(reason);
    this.retryAfterMs = retryAfterMs;
  }
}

/** An answer, but not of Signalbox: the page of a proxy, say, that will give way to it again. */
export class Foreign extends Unreachable {
  readonly status: number;
  constructor(status: number) {
    super(`HTTP ${status} without an answer of Signalbox`);
    this.status = status;
  }
}

/** The server has understood and says no; `code` says to what. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: Record<string, unknown>;
  constructor(status: number, body: Record<string, unknown>) {
    const code = typeof body.error === "string" ? body.error : `HTTP ${status}`;
    super(typeof body.message === "string" ? body.message : code);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/** Nothing gets better by waiting: somebody has to do what the sentence says. */
export class Denied extends OperatorError {}

/** The few words of a network fault that tell a person something. */
export function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code !== undefined && typeof code === "string" && !(at.cause instanceof Error)) {
      return words[code] ?? code;
    }
    if (at.name === "TimeoutError") return "no answer in time";
    if (!(at.cause instanceof Error)) return at.message;
  }
  return String(error);
}

const words: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  UND_ERR_SOCKET: "connection closed",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name cannot be looked up now",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
};
