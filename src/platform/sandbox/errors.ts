export type SandboxErrorKind =
  /** The task needed more memory than a thread has. */
  | "out_of_memory"
  /** The task used more CPU time than it may. */
  | "out_of_time"
  /** The caller aborted the task, or the sandbox was closed. */
  | "aborted"
  /** The task threw an error, or its thread ended: a fault of the server. */
  | "crashed";

/** Why a task in a thread gave no result. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly kind: SandboxErrorKind;
  constructor(kind: SandboxErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
