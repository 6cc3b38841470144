import type { Discovery } from "../contract.ts";
import { isLoopback, showUrl, suggestProviderId } from "./address.ts";
import type { ServerFinding } from "./authorization.ts";
import type { Findings } from "./types.ts";

type Method = Discovery["authentication"]["recommendedRegistrationMethod"];

const ORDER: readonly Method[] = ["pre_registered", "client_metadata", "dynamic"];
const PREFERENCE: readonly Method[] = ["client_metadata", "dynamic", "pre_registered"];
const KNOWN_AUTH_METHODS = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "tls_client_auth",
];

function methodsOf({ item }: ServerFinding): Method[] {
  return ORDER.filter(
    (method) =>
      method === "pre_registered" ||
      (method === "client_metadata" && item.clientIdMetadataDocumentSupported) ||
      (method === "dynamic" && item.registrationEndpoint !== undefined),
  );
}

/** What holds whichever server is chosen: methods of different servers are never added together. */
export function commonMethods(servers: readonly ServerFinding[]): Method[] {
  if (servers.length === 0) return ["pre_registered"];
  return ORDER.filter((method) => servers.every((server) => methodsOf(server).includes(method)));
}

export function recommend(methods: readonly Method[]): Method {
  return PREFERENCE.find((method) => methods.includes(method)) ?? "pre_registered";
}

export function requireClient(
  findings: Findings,
  server: ServerFinding,
  redirectUri: (providerId: string) => string,
) {
  const { item, state } = server;
  const id = suggestProviderId(item.issuer);
  const why =
    state === "unknown"
      ? `Nothing can be read about ${showUrl(item.issuer)}, so its endpoints and a client have to be entered by hand: ask its operator for the authorization and token endpoints.`
      : `${showUrl(item.issuer)} takes neither client metadata documents nor dynamic registration, so a client has to be registered there by hand.`;
  findings.require(
    "oauth_client_registration",
    "Register an OAuth client",
    `${why} Register a web application that uses the authorization code grant with PKCE (S256), with exactly this redirect URI: ${redirectUri(id)} (it contains the id under which the provider is saved here, so save it as "${id}"). ${secretSentence(server)} Then save the client id here and start the connection.`,
  );
}

function secretSentence({ item, needsSecret, state }: ServerFinding): string {
  if (state === "unknown")
    return "Whether a client secret is needed is not known: if the operator hands one out, save it too.";
  if (!needsSecret) return "A public client is enough: no secret is needed.";
  const listed = item.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"];
  const methods = KNOWN_AUTH_METHODS.filter((method) => listed.includes(method));
  const secret = methods.some((method) => method.startsWith("client_secret"));
  if (!secret && methods.includes("private_key_jwt")) {
    return "It must be a confidential client with a key pair (private_key_jwt); a plain secret is not accepted.";
  }
  return `It must be a confidential client, with a client secret (${methods.join(", ") || "method not known"}).`;
}

export function requireSelection(findings: Findings, servers: readonly ServerFinding[]) {
  const choices = servers.map((server) => {
    const best = recommend(methodsOf(server));
    const how = {
      client_metadata: "no registration needed",
      dynamic: "registers clients by itself",
      pre_registered: "needs a client registered by hand",
    };
    return `${showUrl(server.item.issuer)} (${how[best]})`;
  });
  findings.require(
    "authorization_server_selection",
    "Choose an authorization server",
    `The server accepts tokens of ${servers.length} authorization servers: ${choices.join("; ")}. Which of them holds your people's accounts is yours to know; choose one. None was picked for you.`,
  );
}

/** A client metadata document is fetched by the authorization server, so it has to be able to reach us. */
export function checkClientMetadata(
  findings: Findings,
  method: Method,
  redirectUri: (providerId: string) => string,
) {
  const here = new URL(redirectUri("any"));
  if (method !== "client_metadata" || (here.protocol === "https:" && !isLoopback(here))) return;
  findings.warn(
    "oauth_client_metadata_unreachable",
    `A client metadata document must be at an https address that the authorization server can fetch, and this instance calls itself ${here.origin}. Set PUBLIC_URL to its public https address, or use another registration method.`,
  );
}
