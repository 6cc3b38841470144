// SQLSTATE classes: 08 connection, 53 out of resources, 57P the server is going down or coming up.
const downStates = /^(08|53|57P)/;
const downCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
const downMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** The database cannot be reached or is restarting: the caller should try again, nothing of theirs is wrong. */
export function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as Error & { code?: string; syscall?: string };
  if (error instanceof AggregateError) return error.errors.some(isDatabaseDown);
  return (
    (code !== undefined && (downStates.test(code) || (syscall !== undefined && downCodes.has(code)))) ||
    downMessages.test(error.message)
  );
}

/** The name of the unique constraint that refused a row, so that a service can say what is taken. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23505" ? constraint : undefined;
}
