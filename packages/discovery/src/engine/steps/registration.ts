import { createAddress, redactUrl } from "../address.ts";
import type { Findings } from "../findings.ts";
import type { DiscoveryStatus, RegistrationMethod } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import type { ServerFinding } from "./server-metadata.ts";

const methodOrder: readonly RegistrationMethod[] = ["pre_registered", "client_metadata", "dynamic"];
const methodPreference: readonly RegistrationMethod[] = ["client_metadata", "dynamic", "pre_registered"];
const knownAuthMethods = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "tls_client_auth",
];

/** Reports what a person must do to get a client of these authorization servers. */
export function assessRegistration(
  { findings, redirectUri }: DiscoveryState,
  servers: readonly ServerFinding[],
): DiscoveryStatus {
  const usable = servers.filter(({ state }) => state === "usable");
  for (const { item } of servers.filter(({ isRefused }) => isRefused)) {
    findings.require(
      "network_trust",
      "Allow the authorization server's address",
      `The authorization server ${redactUrl(item.issuer)} is at an address that this instance may not call. If it is yours, list its host in EGRESS_ALLOW and discover again.`,
    );
  }
  if (usable.length > 1) requireSelection(findings, usable);
  const manual = usable.filter((server) => recommendMethod(listMethods(server)) === "pre_registered");
  const [first] = manual;
  if (first && manual.length === usable.length) requireClient(findings, first, redirectUri);
  if (usable.length > 0) {
    checkClientMetadata(findings, recommendMethod(listCommonMethods(usable)), redirectUri);
    return findings.requirements.length > 0 ? "manual_action_required" : "ready";
  }
  const unknown = servers.find(({ state }) => state === "unknown");
  if (unknown) {
    requireClient(findings, unknown, redirectUri);
    return "manual_action_required";
  }
  const withoutBrowser = servers.find(({ state }) => state === "no_browser");
  if (withoutBrowser) {
    findings.require(
      "provider_access",
      "Ask the provider for access",
      `${redactUrl(withoutBrowser.item.issuer)} offers no sign-in in a browser (its grant types lack authorization_code). Ask its operator for a token or for another way in; people cannot connect their own accounts.`,
    );
    return "manual_action_required";
  }
  return "unsupported";
}

function listMethods({ item }: ServerFinding): RegistrationMethod[] {
  return methodOrder.filter(
    (method) =>
      method === "pre_registered" ||
      (method === "client_metadata" && item.clientIdMetadataDocumentSupported) ||
      (method === "dynamic" && item.registrationEndpoint !== undefined),
  );
}

/** Lists the methods that every server offers, because any of the servers may be chosen. */
export function listCommonMethods(servers: readonly ServerFinding[]): RegistrationMethod[] {
  if (servers.length === 0) return ["pre_registered"];
  return methodOrder.filter((method) => servers.every((server) => listMethods(server).includes(method)));
}

export function recommendMethod(methods: readonly RegistrationMethod[]): RegistrationMethod {
  return methodPreference.find((method) => methods.includes(method)) ?? "pre_registered";
}

function requireClient(
  findings: Findings,
  server: ServerFinding,
  redirectUri: DiscoveryState["redirectUri"],
) {
  const { item, state } = server;
  const id = suggestProviderId(item.issuer);
  const why =
    state === "unknown"
      ? `Nothing can be read about ${redactUrl(item.issuer)}, so its endpoints and a client have to be entered by hand: ask its operator for the authorization and token endpoints.`
      : `${redactUrl(item.issuer)} takes neither client metadata documents nor dynamic registration, so a client has to be registered there by hand.`;
  const redirect = redirectUri
    ? describeRedirect(redirectUri(id), id)
    : "the redirect URI of the application that connects";
  const rest = redirectUri
    ? "Then save the client id here and start the connection."
    : "Then enter the client id in that application.";
  findings.require(
    "oauth_client_registration",
    "Register an OAuth client",
    `${why} Register a web application that uses the authorization code grant with PKCE (S256), with ${redirect}. ${describeSecret(server)} ${rest}`,
  );
}

const describeRedirect = (uri: string, id: string): string =>
  uri.includes(id)
    ? `exactly this redirect URI: ${uri} (it contains the id under which the provider is saved here, so save it as "${id}")`
    : `exactly this redirect URI: ${uri}`;

function describeSecret({ item, needsSecret, state }: ServerFinding): string {
  if (state === "unknown")
    return "Whether a client secret is needed is not known: if the operator hands one out, save it too.";
  if (!needsSecret) return "A public client is enough: no secret is needed.";
  const listed = item.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"];
  const methods = knownAuthMethods.filter((method) => listed.includes(method));
  const secret = methods.some((method) => method.startsWith("client_secret"));
  if (!secret && methods.includes("private_key_jwt")) {
    return "It must be a confidential client with a key pair (private_key_jwt); a plain secret is not accepted.";
  }
  return `It must be a confidential client, with a client secret (${methods.join(", ") || "method not known"}).`;
}

function requireSelection(findings: Findings, servers: readonly ServerFinding[]) {
  const choices = servers.map((server) => {
    const registration = {
      client_metadata: "no registration needed",
      dynamic: "registers clients by itself",
      pre_registered: "needs a client registered by hand",
    };
    return `${redactUrl(server.item.issuer)} (${registration[recommendMethod(listMethods(server))]})`;
  });
  findings.require(
    "authorization_server_selection",
    "Choose an authorization server",
    `The server accepts tokens of ${servers.length} authorization servers: ${choices.join("; ")}. Which of them holds your people's accounts is yours to know; choose one. None was picked for you.`,
  );
}

/** The authorization server fetches a client metadata document, so it must be able to reach this instance. */
function checkClientMetadata(
  findings: Findings,
  method: RegistrationMethod,
  redirectUri: DiscoveryState["redirectUri"],
) {
  if (!redirectUri) return;
  const instance = createAddress(redirectUri("any"));
  const isPublic = instance.url.protocol === "https:" && !instance.isLoopback;
  if (method !== "client_metadata" || isPublic) return;
  findings.warn(
    "oauth_client_metadata_unreachable",
    `A client metadata document must be at an https address that the authorization server can fetch, and this instance calls itself ${instance.origin}. Set PUBLIC_URL to its public https address, or use another registration method.`,
  );
}

/** The longest id of a provider that the API accepts. */
const maxIdLength = 40;

/** Suggests the id under which an administrator would save the provider of an issuer. */
function suggestProviderId(issuer: string): string {
  const host = URL.parse(issuer)?.hostname ?? "custom";
  const id = host.replace(/^www\./, "").replace(/[^a-z0-9]+/g, "-");
  return id.slice(0, maxIdLength).replace(/^-+|-+$/g, "") || "custom";
}
