// SQLSTATE classes: 08 connection, 53 out of resources (53300: too many connections), 57P the server is going down or
// coming up. 25006: the server became a standby in a failover, so this connection is useless.
const downStates = /^(08|53|57P|25006$)/;
// The server ended the statement (57014: it ran too long), or cannot run it in its current state (55000). The
// connection is still usable.
const busyStates = /^(57(?!P)|55000$|55P03$)/;
const downCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
const downMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed|client is not queryable/;

/** The database cannot be reached or is restarting: the caller should try again, nothing of theirs is wrong. */
class DatabaseDown extends Error {}

export const isDatabaseDown = (error: unknown): boolean => error instanceof DatabaseDown;

/** The server accepted a statement and did not answer in time. It hangs, or the network drops all packets. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof DatabaseDown &&
  error.cause instanceof Error &&
  error.cause.message === "Query read timeout";

/** The server ended the statement or cannot run it now. The connection is usable, and the caller should try again. */
export class DatabaseBusy extends Error {}

export const isDatabaseBusy = (error: unknown): boolean => error instanceof DatabaseBusy;

/** The state with which a database refuses every change after its instance was moved away. */
export const movedState = "57M01";

/** The instance was moved to another database, so this one accepts no changes any more. */
class DatabaseMoved extends DatabaseBusy {}

export const isDatabaseMoved = (error: unknown): boolean => error instanceof DatabaseMoved;

/** The caller disconnected before the statement finished. */
export class CallerDisconnected extends Error {}

export const isCallerDisconnected = (error: unknown): boolean => error instanceof CallerDisconnected;

/** Used only around database calls, because a refused connection elsewhere is not an error of the database. */
export async function translateDatabaseErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message, hint } = (error ?? {}) as { code?: unknown; message?: string; hint?: string };
    if (typeof code === "string" && code.startsWith("53"))
      throw new DatabaseDown(`The database is out of resources: ${message}. ${hint ?? ""}`.trim(), {
        cause: error,
      });
    if (isConnectionError(error)) throw new DatabaseDown("The database cannot be reached.", { cause: error });
    if (code === movedState) throw new DatabaseMoved("The instance was moved away.", { cause: error });
    if (typeof code === "string" && busyStates.test(code))
      throw new DatabaseBusy("The database did not finish the statement.", { cause: error });
    throw error;
  }
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  const { code } = error as Error & { code?: string };
  return (
    (code !== undefined && (downStates.test(code) || downCodes.has(code))) || downMessages.test(error.message)
  );
}

/** Returns the name of the violated unique constraint, so that a service can name the value that already exists. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === "23505" ? constraint : undefined;
}

/** As a violated foreign key, for a table that has none: a row that the new row refers to was removed. */
export class ReferenceRemoved extends Error {}

/**
 * A row that the request refers to was removed at the same time, or two requests waited for each other. The request can
 * be repeated, and then sees the current rows.
 */
export const isCollision = (error: unknown): boolean =>
  error instanceof ReferenceRemoved ||
  ["23503", "40P01"].includes((error as { code?: string } | undefined)?.code ?? "");
