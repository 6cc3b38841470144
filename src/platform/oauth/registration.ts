import type { Egress } from "@signalbox/discovery/egress";
import { OAuthFailure, safeCode, toFailure } from "./failure.ts";
import type { Json } from "./replies.ts";
import { type AuthMethod, authMethods, isSecureUrl } from "./server.ts";

const maxReplyBytes = 64 * 1024;
const timeoutMs = 10_000;

/** What a server registers (RFC 7591 §2). */
export interface ClientRequest {
  registrationEndpoint: string;
  clientName: string;
  clientUri: string;
  redirectUri: string;
  authMethod: AuthMethod;
  /** Names this registration, so that a person finds the client at the server. */
  softwareVersion: string;
}

/** A client that a server registered. */
export interface RegisteredClient {
  clientId: string;
  clientSecret: string | undefined;
  authMethod: AuthMethod;
  /** Where RFC 7592 manages the client. Undefined when the server does not offer it. */
  management: { url: string; accessToken: string } | undefined;
}

/** Thrown when a client was registered and cannot be used. It must be removed. */
export class UnusableClient extends OAuthFailure {
  readonly client: Pick<RegisteredClient, "clientId" | "management">;
  constructor(code: string, message: string, client: UnusableClient["client"]) {
    super("unusable", code, message);
    this.client = client;
  }
}

/**
 * Registers a client (RFC 7591). Every success creates another client, so it is never repeated by itself. No `scope` is
 * sent: servers would limit the client to it, and a member could not consent to more scopes later.
 */
export async function registerClient(egress: Egress, request: ClientRequest): Promise<RegisteredClient> {
  const { status, body } = await send(egress, request.registrationEndpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: request.clientName,
      client_uri: request.clientUri,
      redirect_uris: [request.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: request.authMethod,
      software_id: "signalbox",
      software_version: request.softwareVersion,
    }),
  });
  if (status !== 200 && status !== 201) {
    const code = body?.error === undefined ? `http_${status}` : safeCode(body.error);
    const kind = status >= 500 || status === 429 ? "unavailable" : "rejected";
    throw new OAuthFailure(kind, code, `The authorization server answered ${code}.`);
  }
  return readClient(request, body);
}

function readClient(request: ClientRequest, body: Json | undefined): RegisteredClient {
  const clientId = body?.client_id;
  if (!body || typeof clientId !== "string" || !/^[\x21-\x7e]{1,500}$/.test(clientId))
    throw new OAuthFailure("unusable", "client_id_missing", "The authorization server gave no client id.");
  const made = { clientId, management: readManagement(request, body) };
  const refuse = (code: string, message: string) => new UnusableClient(code, message, made);
  const { redirect_uris: uris, client_secret: secret } = body;
  if (uris !== undefined && !(Array.isArray(uris) && uris.includes(request.redirectUri)))
    throw refuse("redirect_uri_changed", "The authorization server registered another redirect URI.");
  const method = body.token_endpoint_auth_method ?? request.authMethod;
  const authMethod = authMethods.find((one) => one === method);
  if (!authMethod || authMethod === "private_key_jwt")
    throw refuse("auth_method_unsupported", "The authorization server chose a method that is not supported.");
  if (secret !== undefined && (typeof secret !== "string" || secret.length > 4000 || secret === ""))
    throw refuse("client_secret_invalid", "The authorization server gave a client secret that is too long.");
  if (authMethod !== "none" && secret === undefined)
    throw refuse("client_secret_missing", "The authorization server gave no client secret.");
  return { ...made, clientSecret: authMethod === "none" ? undefined : secret, authMethod };
}

/** The token is only sent to the server that issued it. */
function readManagement(
  { registrationEndpoint }: ClientRequest,
  { registration_client_uri: url, registration_access_token: accessToken }: Json,
): RegisteredClient["management"] {
  if (typeof url !== "string" || typeof accessToken !== "string") return undefined;
  const isUsable =
    url.length <= 2048 &&
    isSecureUrl(url) &&
    URL.parse(url)?.origin === URL.parse(registrationEndpoint)?.origin &&
    /^[\x21-\x7e]{1,4000}$/.test(accessToken);
  return isUsable ? { url, accessToken } : undefined;
}

/** Removes a client (RFC 7592 §2.3). `not_offered`: the server does not allow it, or does not know the client. */
export async function deregisterClient(
  egress: Egress,
  { url, accessToken }: NonNullable<RegisteredClient["management"]>,
): Promise<"removed" | "not_offered"> {
  const { status } = await send(egress, url, {
    method: "DELETE",
    headers: { authorization: `Bearer ${accessToken}` },
  });
  if (status >= 200 && status < 300) return "removed";
  // RFC 7592 §2.3: 401 also when the client does not exist any more, 405 when clients cannot be deleted.
  if ([401, 403, 404, 405, 410, 501].includes(status)) return "not_offered";
  throw new OAuthFailure(
    "unavailable",
    `http_${status}`,
    `The authorization server answered HTTP ${status}.`,
  );
}

interface Sent {
  method: "POST" | "DELETE";
  headers: Record<string, string>;
  body?: string;
}

async function send(egress: Egress, url: string, { method, headers, body }: Sent) {
  try {
    const reply = await egress.request(url, {
      method,
      headers: { accept: "application/json", "user-agent": "Signalbox", ...headers },
      ...(body === undefined ? {} : { body }),
      ...{ redirects: 0, maxBytes: maxReplyBytes, timeoutMs },
    });
    return { status: reply.status, body: parseObject(reply.text()) };
  } catch (error) {
    throw toFailure(error);
  }
}

function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined;
  } catch {
    return undefined;
  }
}
