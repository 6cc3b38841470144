import { readRetryAfter } from "@signalbox/flow-control";
import { OAuthFailure, safeCode } from "./failure.ts";
import type { Server } from "./server.ts";

export type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Removes characters that the database cannot store, so that the account itself is not lost. */
const storable = (text: string) => text.replaceAll("\0", "").toWellFormed();

/** Returns the value at a path such as `data.viewer.id`, if it is text or a number. */
export function readTextAt(value: unknown, path: string): string | undefined {
  let at: unknown = value;
  for (const name of path.split(".")) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  if (typeof at === "number" && Number.isFinite(at)) return String(at);
  const text = typeof at === "string" ? storable(at.slice(0, 300)) : "";
  return text === "" ? undefined : text;
}

export async function readJson(response: Response): Promise<Json | undefined> {
  const text = await response.text();
  if (response.headers.get("content-type")?.includes("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function findError(body: Json | undefined): unknown {
  if (!body) return undefined;
  const { error, ok, status } = body;
  if (isObject(error)) return error.type ?? error.code ?? "unknown_error";
  if (typeof error === "string" && error !== "") return error;
  if (ok === false) return "unknown_error";
  // Some servers send `status` instead of `error`.
  return typeof status === "string" && !("access_token" in body) ? status : undefined;
}

/** Throws unless the reply is a success, in any of the known forms. */
export function assertSuccess(
  response: Response,
  body: Json | undefined,
  errorNames: Server["errorNames"],
): void {
  const { status } = response;
  const said = findError(body);
  if (status >= 200 && status < 300 && said === undefined) return;
  const retryAfter = readRetryAfter(response.headers.get("retry-after"), Date.now());
  if (status >= 500 || status === 429) {
    throw new OAuthFailure(
      "unavailable",
      `http_${status}`,
      `The provider answered with HTTP ${status}.`,
      retryAfter ? Math.min(retryAfter, 3600) : undefined,
    );
  }
  if (said === undefined) {
    const kind = status >= 400 ? "rejected" : "unusable";
    throw new OAuthFailure(kind, `http_${status}`, `The provider answered with HTTP ${status}.`);
  }
  const code = safeCode(errorNames[String(said)] ?? said);
  if (code === "temporarily_unavailable" || code === "slow_down") {
    throw new OAuthFailure("unavailable", code, `The provider answered ${code}.`);
  }
  const kind = code === "invalid_grant" ? "invalid_grant" : "rejected";
  throw new OAuthFailure(kind, code, `The provider answered ${code}.`);
}

export interface TokenReply {
  /** In the form of RFC 6749, for the checks of the library. */
  response: Response;
  /** The whole body, which may describe the account. */
  body: Json;
  hasIdToken: boolean;
}

/** A hundred years. Longer times would exceed the range of dates. */
const maxSeconds = 100 * 365 * 86_400;

/** Converts a token reply into the form of RFC 6749. */
export async function readTokenReply(response: Response, server: Server): Promise<TokenReply> {
  const body = await readJson(response);
  assertSuccess(response, body, server.errorNames);
  if (!body) throw new OAuthFailure("unusable", "not_json", "The provider's answer is not JSON.");
  const inner = server.tokensIn ? body[server.tokensIn] : undefined;
  const from = isObject(inner) && typeof inner.access_token === "string" ? inner : body;
  const type = String(from.token_type ?? "bearer").toLowerCase();
  if (type === "dpop" || type === "mac") {
    throw new OAuthFailure(
      "unusable",
      "token_type",
      `The provider gave a ${type} token; only Bearer tokens work.`,
    );
  }
  const scope = from.scope ?? from.scopes;
  const scopes = (Array.isArray(scope) ? scope : typeof scope === "string" ? scope.split(/[\s,]+/) : [])
    .map((one) => (typeof one === "string" ? storable(one) : ""))
    .filter((one) => one !== "");
  const seconds = Math.min(Number(from.expires_in), maxSeconds);
  const hasIdToken = server.account?.from === "id_token" && typeof from.id_token === "string";
  const plain = {
    access_token: from.access_token,
    token_type: "bearer",
    // Some servers send 0 for "never".
    ...(seconds > 0 ? { expires_in: seconds } : {}),
    ...(typeof from.refresh_token === "string" && from.refresh_token !== ""
      ? { refresh_token: from.refresh_token }
      : {}),
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
    ...(hasIdToken ? { id_token: from.id_token } : {}),
  };
  return { response: Response.json(plain), body, hasIdToken };
}
