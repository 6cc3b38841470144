import type { Discovery } from "../contract.ts";
import { isLoopback, showUrl } from "./address.ts";
import { findServer, findServers, type ServerFinding } from "./authorization.ts";
import { type Challenge, readChallenges, scopesOf, tokenChallenge } from "./challenge.ts";
import {
  checkClientMetadata,
  commonMethods,
  recommend,
  requireClient,
  requireSelection,
} from "./registration.ts";
import { explainInexact, explainMismatch, requireHttps, requireToken } from "./remedies.ts";
import { type EarlyMetadata, findResource, type Resource, type ResourceSearch } from "./resource.ts";
import { adopt, createFindings, type Findings, type Limits } from "./types.ts";
import type { Wire } from "./wire.ts";

const CHALLENGE_MS = 3000;

export interface Authentication {
  section: Discovery["authentication"];
  status: Discovery["status"];
}

export interface Demand {
  /** The address that answered, and the one that was asked for. */
  server: URL;
  given: URL;
  /** The HTTP status of the refusal. */
  status: number;
  challenges: Challenge[];
  /** There was no such status: a JSON-RPC error said it, which has been told already. */
  undeclared?: boolean;
  early?: EarlyMetadata | undefined;
}

interface Desk {
  wire: Wire;
  findings: Findings;
  limits: Limits;
  redirectUri: (providerId: string) => string;
}

/** The section of a server about which nothing more is known than its kind. */
export function plain(kind: Discovery["authentication"]["kind"]): Discovery["authentication"] {
  return {
    kind,
    authorizationServers: [],
    requiredScopes: [],
    recommendedScopes: [],
    refreshSupport: "unknown",
    availableRegistrationMethods: ["pre_registered"],
    recommendedRegistrationMethod: "pre_registered",
  };
}

/** A server asked for credentials: which, and how are they obtained? */
export async function examineDemand(desk: Desk, demand: Demand): Promise<Authentication> {
  const challenge = tokenChallenge(demand.challenges);
  const named = challenge?.params.resource_metadata;
  const search = await findResource(desk.wire, desk.findings, {
    server: demand.server,
    given: demand.given,
    wellKnown: "all",
    early: demand.early,
    ...(named === undefined ? {} : { named }),
  });
  const required = scopesOf(challenge);
  if (search.found) return examineResource(desk, demand, search.found, required, challenge);
  // A refusal that names no scheme may be one of the first revisions; one that names others is not.
  const mayBeOAuth = challenge !== undefined || (demand.status === 401 && demand.challenges.length === 0);
  if (!mayBeOAuth) return judgeWithoutMetadata(desk, demand, challenge, required, search);
  // Asked at the same time as the origin, whose findings count only if this leads nowhere.
  const aside: Desk = { ...desk, findings: createFindings() };
  const [byGet, atOrigin] = await Promise.all([
    named === undefined ? askByGet(desk.wire, demand.server) : undefined,
    examineOrigin(aside, demand, required),
  ]);
  const second = byGet === undefined ? undefined : await examineByGet(desk, demand, byGet, required);
  if (second) return second;
  adopt(desk.findings, aside.findings);
  return atOrigin ?? judgeWithoutMetadata(desk, demand, challenge, required, search);
}

/** Some servers name their metadata only where a stream is opened by GET. */
async function askByGet(wire: Wire, server: URL): Promise<Challenge | undefined> {
  const rule = "RFC 9728 §5.1: resource_metadata in the challenge";
  const opened = await wire.events("probe_challenge", server, CHALLENGE_MS);
  if (!("stream" in opened)) {
    opened.note.learn("GET told nothing more.", rule);
    return undefined;
  }
  const { stream, note } = opened;
  stream.close();
  const challenge =
    stream.status === 401
      ? tokenChallenge(readChallenges(stream.headers["www-authenticate"] ?? []))
      : undefined;
  const names = challenge?.params.resource_metadata !== undefined;
  note.learn(
    names
      ? "The challenge to GET names the metadata that the one to POST leaves out."
      : "GET told nothing more.",
    rule,
  );
  return names ? challenge : undefined;
}

async function examineByGet(
  desk: Desk,
  demand: Demand,
  challenge: Challenge,
  required: string[],
): Promise<Authentication | undefined> {
  const { found } = await findResource(desk.wire, desk.findings, {
    server: demand.server,
    given: demand.given,
    wellKnown: "none",
    named: challenge.params.resource_metadata ?? "",
  });
  const scopes = required.length > 0 ? required : scopesOf(challenge);
  return found && examineResource(desk, demand, found, scopes, challenge);
}

/** An open server may still offer sign-in, for those who want more than everybody gets. */
export async function examineOptional(
  desk: Desk,
  { server, given, early }: Pick<Demand, "server" | "given" | "early">,
): Promise<Discovery["authentication"]> {
  const quiet: Desk = {
    ...desk,
    findings: { ...desk.findings, warn: () => undefined, require: () => undefined },
  };
  const { found } = await findResource(desk.wire, quiet.findings, {
    server,
    given,
    early,
    wellKnown: "first",
  });
  if (!found?.trusted || found.issuers.length === 0) return plain("none");
  const servers = await findServers(desk.wire, quiet.findings, found.issuers, {
    server,
    most: desk.limits.authorizationServers,
  });
  desk.findings.warn(
    "oauth_optional",
    `The server works without signing in, and also accepts tokens (${showUrl(found.url)}). Sign in if its operator says that more can be seen or done that way.`,
  );
  return { ...section(servers, [], found), kind: "none" };
}

async function examineResource(
  desk: Desk,
  demand: Demand,
  found: Resource,
  required: string[],
  challenge: Challenge | undefined,
): Promise<Authentication> {
  const { findings } = desk;
  const about = {
    ...(found.resource === undefined ? {} : { resource: found.resource }),
    protectedResourceMetadataUrl: found.url.href,
  };
  if (!found.trusted) {
    explainMismatch(findings, demand, found);
    // What the document says of scopes and servers is about another resource, and is withheld with it.
    const correctable = found.match === "same_origin";
    return {
      section: { ...plain("oauth"), ...about, requiredScopes: required, recommendedScopes: required },
      status: correctable ? "manual_action_required" : "unsupported",
    };
  }
  explainInexact(findings, demand, found);
  requireHttps(findings, demand.server);
  if (found.issuers.length === 0) {
    findings.warn(
      "oauth_resource_metadata_incomplete",
      `The metadata at ${showUrl(found.url)} names no authorization server, so there is nowhere to sign in. A token has to come from the server's operator.`,
    );
    requireToken(findings, demand);
    const scopes = required.length > 0 ? required : found.scopes;
    return {
      section: { ...plain("manual_bearer"), ...about, requiredScopes: required, recommendedScopes: scopes },
      status: "manual_action_required",
    };
  }
  if (found.dpopRequired || challenge?.scheme === "dpop") {
    findings.warn(
      "oauth_dpop_required",
      "The server wants tokens that are bound to a key (DPoP, RFC 9449). A plain bearer token will be refused; ask its operator whether bearer tokens can be enabled if the connection fails.",
    );
  }
  const servers = await findServers(desk.wire, findings, found.issuers, {
    server: demand.server,
    most: desk.limits.authorizationServers,
  });
  return { section: section(servers, required, found), status: judgeServers(desk, servers) };
}

/** MCP 2025-03-26 put the authorization server at the origin of the MCP server, and had no other metadata. */
async function examineOrigin(
  desk: Desk,
  demand: Demand,
  required: string[],
): Promise<Authentication | undefined> {
  const { origin } = demand.server;
  if (demand.server.protocol === "http:" && !isLoopback(demand.server)) return undefined;
  const server = await findServer(desk.wire, desk.findings, origin, {
    server: demand.server,
    atOnce: true,
    quiet: true,
  });
  if (server.state === "unknown" || server.state === "dropped") return undefined;
  desk.findings.warn(
    "oauth_origin_discovery",
    `The server publishes no protected resource metadata; the authorization server at its own origin (${origin}) was taken, as MCP 2025-03-26 said. That form is deprecated: its operator should publish ${origin}/.well-known/oauth-protected-resource.`,
  );
  return { section: section([server], required), status: judgeServers(desk, [server]) };
}

function judgeWithoutMetadata(
  { findings }: Desk,
  demand: Demand,
  challenge: Challenge | undefined,
  required: string[],
  search: ResourceSearch,
): Authentication {
  if (challenge?.scheme === "bearer") {
    requireHttps(findings, demand.server);
    requireToken(findings, demand, search);
    const scopes = { requiredScopes: required, recommendedScopes: required };
    return { section: { ...plain("manual_bearer"), ...scopes }, status: "manual_action_required" };
  }
  if (demand.undeclared) return { section: plain("unknown"), status: "unsupported" };
  if (demand.status === 401 && demand.challenges.length === 0) {
    findings.warn(
      "mcp_http_401",
      `${showUrl(demand.server)} answered 401 and does not say which credentials it takes: there is no WWW-Authenticate header that could be read, and no OAuth metadata. Most servers that do so take an API key or token as a bearer token; the server's documentation says whether this one does.`,
    );
    requireHttps(findings, demand.server);
    requireToken(findings, demand, search);
    return { section: plain("manual_bearer"), status: "manual_action_required" };
  }
  const schemes = [...new Set(demand.challenges.map(({ scheme }) => scheme.slice(0, 20)))].slice(0, 5);
  const asks =
    schemes.length > 0
      ? `asks for ${schemes.join(", ")} credentials, which no MCP client can obtain by signing in`
      : "does not say why (there is no WWW-Authenticate header)";
  const advice =
    demand.status === 403
      ? "It may be closed to this network, or to everyone but listed accounts: ask its operator."
      : "Ask its operator for a bearer token or for OAuth support.";
  findings.warn(
    `mcp_http_${demand.status}`,
    `${showUrl(demand.server)} answered ${demand.status} and ${asks}. ${advice}`,
  );
  return { section: plain("unknown"), status: "unsupported" };
}

function judgeServers(
  { findings, redirectUri }: Desk,
  servers: readonly ServerFinding[],
): Discovery["status"] {
  const usable = servers.filter(({ state }) => state === "usable");
  for (const { item } of servers.filter(({ refused }) => refused)) {
    findings.require(
      "network_trust",
      "Allow the authorization server's address",
      `The authorization server ${showUrl(item.issuer)} is at an address that this instance may not call. If it is yours, list its host in EGRESS_ALLOW and discover again.`,
    );
  }
  if (usable.length > 1) requireSelection(findings, usable);
  const byHand = usable.filter((server) => recommend(commonMethods([server])) === "pre_registered");
  const [first] = byHand;
  if (first && byHand.length === usable.length) requireClient(findings, first, redirectUri);
  if (usable.length > 0) {
    checkClientMetadata(findings, recommend(commonMethods(usable)), redirectUri);
    return findings.requirements.length > 0 ? "manual_action_required" : "ready";
  }
  const unknown = servers.find(({ state }) => state === "unknown");
  if (unknown) {
    requireClient(findings, unknown, redirectUri);
    return "manual_action_required";
  }
  const closed = servers.find(({ state }) => state === "no_browser");
  if (closed) {
    findings.require(
      "provider_access",
      "Ask the provider for access",
      `${showUrl(closed.item.issuer)} offers no sign-in in a browser (its grant types lack authorization_code). Ask its operator for a token or for another way in; people cannot connect their own accounts.`,
    );
    return "manual_action_required";
  }
  return "unsupported";
}

function section(
  servers: readonly ServerFinding[],
  required: string[],
  found?: Resource,
): Discovery["authentication"] {
  const reported = servers.filter(({ state }) => state !== "dropped");
  const usable = servers.filter(({ state }) => state === "usable");
  const methods = commonMethods(usable);
  const refreshing = usable.length > 0 ? usable : reported;
  const refreshSupport =
    refreshing.length === 0 || refreshing.some(({ refresh }) => refresh === "unknown")
      ? "unknown"
      : refreshing.every(({ refresh }) => refresh === "supported")
        ? "supported"
        : "not_advertised";
  const base = required.length > 0 ? required : (found?.scopes ?? []);
  const offline =
    usable.length > 0 &&
    refreshSupport === "supported" &&
    usable.every(({ item }) => item.scopesSupported?.includes("offline_access"));
  return {
    kind: "oauth",
    ...(found?.resource === undefined ? {} : { resource: found.resource }),
    ...(found === undefined ? {} : { protectedResourceMetadataUrl: found.url.href }),
    authorizationServers: reported.map(({ item }) => item),
    requiredScopes: required,
    recommendedScopes: [...new Set([...base, ...(offline ? ["offline_access"] : [])])],
    refreshSupport,
    availableRegistrationMethods: methods,
    recommendedRegistrationMethod: recommend(methods),
  };
}
