import { longestRetryAfterMs, RefusedError, UnreachableError } from "@signalbox/client";
import { OperatorError } from "@signalbox/command-line";

/** The runner cannot work with this server or key. Waiting does not help; the message says what to do. */
export class UnusableServerError extends OperatorError {}

/** Replies that ask to try again later. */
const isTemporary = (status: number) => status >= 500 || status === 429 || status === 408;

/** An administrator of the instance restores a suspended organization, and its credentials work again. */
const isSuspension = ({ status, body }: RefusedError) =>
  status === 403 && body.reason === "organization_suspended";

/**
 * Translates an error of the client. A runner tries again for as long as it takes after an UnreachableError, and never
 * after a RefusedError or an UnusableServerError.
 */
export function translateError(url: string, error: unknown): unknown {
  if (error instanceof RefusedError && isSuspension(error))
    return new UnreachableError(url, error.message, { status: error.status, retryAfterMs: 0 });
  if (error instanceof RefusedError && !isTemporary(error.status)) return error;
  if (!(error instanceof RefusedError || error instanceof UnreachableError)) return error;
  const { code, status = 0, message } = error;
  if (error instanceof UnreachableError && code === "redirect") return describeRedirect(url, error.location);
  const retryAfterMs = Math.min(error.retryAfterMs ?? 0, longestRetryAfterMs);
  if (isTemporary(status)) return new UnreachableError(url, `HTTP ${status}`, { status, retryAfterMs });
  if (code === "foreign_reply") return createForeignReplyError(url, status);
  const reason = code === "reply_too_long" ? "it answered with more than 4 MiB" : message;
  const isTimeout = code === "timeout";
  return new UnreachableError(url, reason, {
    ...(isTimeout ? { code } : {}),
    ...{ status, retryAfterMs, cause: error },
  });
}

/** The request took too long, for the runner or for the server. */
export const isTooSlow = (error: unknown): boolean =>
  error instanceof UnreachableError && (error.code === "timeout" || error.status === 408);

/** Something other than Signalbox replied, such as a proxy that will forward requests again later. */
export const createForeignReplyError = (url: string, status: number) =>
  new UnreachableError(url, `HTTP ${status} without an answer of Signalbox`, {
    code: "foreign_reply",
    status,
    retryAfterMs: 0,
  });

export const createNotSignalboxError = (url: string, reason: string) =>
  new UnusableServerError(
    `What answers at ${url} is not Signalbox (${reason}). Give its address with --url or SIGNALBOX_URL.`,
  );

function describeRedirect(url: string, location: string | undefined): UnusableServerError {
  const to = location && URL.canParse(location, url) ? new URL(location, url).origin : undefined;
  return new UnusableServerError(
    to && to !== url
      ? `${url} leads on to ${to}. Use --url ${to}.`
      : `${url} leads on to another page. Give the address of Signalbox itself with --url.`,
  );
}

export const createOtherOriginError = (url: string, origin: string) =>
  new UnusableServerError(
    `${url} sends runners to ${origin}. Use --url ${origin}, or correct PUBLIC_URL of the server.`,
  );

/** Translates a refusal of the key or the token into a sentence that says what to do. */
export function describeCredentialRefusal(url: string, error: RefusedError): Error {
  if (error.status === 401) {
    return new UnusableServerError(
      `${url} does not know this API key. Create one there (POST /v1/api-keys), and check that --url is the Signalbox that created the key.`,
    );
  }
  if (error.status === 403) {
    return new UnusableServerError(`${url} does not let this key run automations: ${error.message}`);
  }
  if (error.status === 404) return createNotSignalboxError(url, "it knows no automation runners");
  return error.status === 400
    ? new UnusableServerError(`${url} does not accept this runner: ${describeFirstDetail(error)}`)
    : error;
}

function describeFirstDetail({ body, message }: RefusedError): string {
  const [first] = Array.isArray(body.details)
    ? (body.details as { path?: unknown; message?: unknown }[])
    : [];
  return first ? `${String(first.path ?? "")} ${String(first.message)}`.trim() : message;
}
