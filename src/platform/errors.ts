export { OperatorError } from "@signalbox/command-line";

/** One place in a request that is wrong; `path` points into the body or starts with a parameter's name. */
export interface Detail {
  message: string;
  path?: (string | number)[];
}

/**
 * A refusal that the caller should hear about. `status` is for the machine, `error` is the code a client
 * branches on, the message tells a person what to do next. Anything else that is thrown is a fault of
 * ours and leaves the process as a bare 500.
 */
export class Refusal extends Error {
  readonly status: number;
  readonly body: { error: string } & Record<string, unknown>;
  readonly headers: Record<string, string>;
  constructor(status: number, body: Refusal["body"], headers: Record<string, string> = {}) {
    super(typeof body.message === "string" ? body.message : (describeDetails(body.details) ?? body.error));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Joins the details into one line, for places that show no reply body, such as the output of a command. */
const describeDetails = (details: unknown): string | undefined =>
  Array.isArray(details) && details.length > 0
    ? details
        .map(({ message, path }: Detail) => (path?.length ? `${path.join(".")}: ${message}` : message))
        .join(" ")
    : undefined;

export const invalidRequest = (details: Detail[], capability?: string) =>
  new Refusal(400, { error: "invalid_request", details, ...(capability ? { capability } : {}) });

/** One wrong field, in one line. */
export const invalidField = (path: (string | number)[], message: string) =>
  invalidRequest([{ message, path }]);

type Why = "invalid_token" | "invalid_key" | "invalid_credentials" | "insufficient_scope";

const challenge = (scheme: "Bearer" | "ApiKey", why?: Why, sentence?: string) =>
  `${scheme} realm="signalbox"${why ? `, error="${why}"` : ""}${sentence ? `, error_description="${sentence}"` : ""}`;

const challenged = (header: string) =>
  new Refusal(401, { error: "unauthorized" }, { "www-authenticate": header });

/**
 * `why` and `sentence` go into the header, as in RFC 6750; the body has no reason. The sentence has no quotation marks,
 * and is the same for an unknown token and for one that has ended, so that nobody learns whether a token was ever
 * valid.
 */
export const unauthorized = (why?: Exclude<Why, "invalid_key" | "insufficient_scope">, sentence?: string) =>
  challenged(challenge("Bearer", why, sentence));

/** Refuses an API key. Keys are sent in `x-api-key`, so they have their own scheme. */
export const unauthorizedKey = (sentence: string) => challenged(challenge("ApiKey", "invalid_key", sentence));

/** The request has no credential. The header lists both accepted schemes. */
export const credentialRequired = () => challenged(`${challenge("Bearer")}, ${challenge("ApiKey")}`);

export const forbidden = (reason: string, message: string) =>
  new Refusal(403, { error: "forbidden", reason, message });

/** The organization of the caller was suspended by an administrator of the instance. */
export const organizationSuspended = () =>
  forbidden(
    "organization_suspended",
    "This organization is suspended. Nothing in it was deleted. Ask an administrator of this instance to restore it.",
  );

/** The credential is valid, but was issued without one of these scopes (RFC 6750, 3.1). */
export const insufficientScope = (scopes: readonly string[]) =>
  new Refusal(
    403,
    {
      error: "forbidden",
      reason: "insufficient_scope",
      message: `This needs a credential with ${scopes.length === 1 ? "the scope" : "the scopes"} ${scopes.join(", ")}.`,
    },
    { "www-authenticate": `${challenge("Bearer", "insufficient_scope")}, scope="${scopes.join(" ")}"` },
  );

/** The caller has the right, but this session is not fresh or strong enough. */
export const reauth = (reason: "session_too_old" | "sso_required", message: string) =>
  new Refusal(403, { error: "reauth", reason, message });

export const notFound = (thing: string) => new Refusal(404, { error: `${thing}_not_found` });

export const conflict = (code: string, message: string, more: Record<string, unknown> = {}) =>
  new Refusal(409, { error: code, message, ...more });

export const tooLarge = (message: string) => new Refusal(413, { error: "payload_too_large", message });

export const rateLimited = (retryAfterSeconds: number) =>
  new Refusal(
    429,
    { error: "rate_limited", message: `Too many attempts. Try again in ${retryAfterSeconds} s.` },
    { "retry-after": String(retryAfterSeconds) },
  );

export const unavailable = (message: string, retryAfterSeconds = 2) =>
  new Refusal(503, { error: "service_unavailable", message }, { "retry-after": String(retryAfterSeconds) });
