export type GitErrorKind =
  /** The address may not be called from here. */
  | "refused"
  | "unreachable"
  /** Sign-in is wanted, or what was sent is not good enough. */
  | "access_refused"
  | "not_found"
  | "rate_limited"
  | "server_error"
  /** The answer is not what git would say, or was cut short. */
  | "protocol"
  /** Well-formed, and nothing we read. */
  | "unsupported"
  | "too_large";

/** Why a repository could not be read. The message is for a person and holds no byte of what the server sent. */
export class GitError extends Error {
  override readonly name = "GitError";
  readonly kind: GitErrorKind;
  constructor(kind: GitErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export const malformed = (what: string) =>
  new GitError("protocol", `The server's answer is not what git would send: ${what}.`);
