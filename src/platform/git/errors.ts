export type GitErrorKind =
  /** The address may not be called from here. */
  | "refused"
  | "unreachable"
  /** The server requires sign-in, or does not accept the credential. */
  | "access_refused"
  | "not_found"
  | "rate_limited"
  | "server_error"
  /** The reply is not valid in git's protocol, or is incomplete. */
  | "protocol"
  /** The reply is valid, but in a form that is not supported. */
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
