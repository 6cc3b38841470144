import { GitError, type GitErrorKind } from "../../platform/git/index.ts";
import { UnsealError } from "../../platform/keyring.ts";
import { SandboxError } from "../../platform/sandbox/errors.ts";
import type { ErrorCode } from "./sync-errors.ts";

/** Why the templates of a repository could not be read, with a message for people. */
export class Failure extends Error {
  readonly code: ErrorCode;
  /** True when a later attempt may succeed without a change. */
  readonly retryable: boolean;
  constructor(code: ErrorCode, message: string, retryable = false) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

const codeByKind: Record<GitErrorKind, [code: ErrorCode, retryable: boolean]> = {
  refused: ["address_refused", false],
  unreachable: ["unreachable", true],
  access_refused: ["access_refused", false],
  not_found: ["repository_not_found", false],
  rate_limited: ["rate_limited", true],
  server_error: ["server_error", true],
  protocol: ["protocol_error", true],
  unsupported: ["unsupported_repository", false],
  too_large: ["too_large", false],
};

/** Undefined for an error of this service, and for work that was aborted. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof GitError) {
    const [code, retryable] = codeByKind[error.kind];
    return new Failure(code, error.message, retryable);
  }
  if (error instanceof SandboxError && (error.kind === "out_of_memory" || error.kind === "out_of_time")) {
    const what = error.kind === "out_of_memory" ? "more memory" : "more computing time";
    return new Failure(
      "too_large",
      `Reading the repository needs ${what} than is allowed. Choose a smaller folder, or remove unusually large files from it.`,
    );
  }
  if (error instanceof UnsealError)
    return new Failure("access_refused", "The stored token or key does not open. Give access again.");
  return undefined;
}
