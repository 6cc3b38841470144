import { HelpRequested, UsageError } from "./arguments.ts";

/** Exit codes, for scripts. `refused`: not signed in, or not allowed. */
export const exit = { ok: 0, failed: 1, usage: 2, pending: 3, refused: 4, notFound: 5 } as const;

/**
 * A problem that the operator of this machine can solve: a setting, a folder, a database. The message says what is
 * wrong and what to do, and is printed without a stack.
 */
export class OperatorError extends Error {
  readonly exitCode: number = exit.failed;
}

export interface Output {
  out(line: string): void;
  err(line: string): void;
}

/** Prints an error of a command and returns the exit code. `program` is what the user typed to start it. */
export function printError(error: unknown, program: string, { out, err }: Output): number {
  if (error instanceof HelpRequested) {
    out(error.message.trim());
    return exit.ok;
  }
  if (error instanceof UsageError) {
    err(`${error.message} See \`${program} --help\`.`);
    return exit.usage;
  }
  if (error instanceof OperatorError) {
    err(error.message);
    return error.exitCode;
  }
  err(`Unexpected: ${(error as Error).stack ?? error}`);
  return exit.failed;
}
