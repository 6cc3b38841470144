import { HttpAddress, normalizeUrl, parseAddress } from "../address.ts";
import { type Findings, formatSentence } from "../findings.ts";
import { type JsonObject, readString, readStrings, readWords } from "../json.ts";
import type { DiscoveryState } from "../state.ts";
import type { Challenge } from "../transport/challenge.ts";
import { fetchMetadata } from "../transport/http.ts";
import type { MetadataOutcome } from "../transport/outcomes.ts";
import type { Access } from "./access.ts";
import { isOpenServer, type Opening } from "./probe.ts";

const metadataTimeoutMs = 5000;
const wellKnownRule = "RFC 9728 §3.1: well-known place of protected resource metadata";
const challengeRule = "RFC 9728 §5.1: resource_metadata in the challenge";

export type ResourceMatch = "exact" | "trailing_slash" | "parent" | "query" | "same_origin" | "foreign";

export interface ResourceMetadata {
  address: HttpAddress;
  resource?: string;
  /** False when the metadata describes another resource. Its authorization servers must then not be used. */
  isTrusted: boolean;
  match: ResourceMatch | "unnamed";
  issuers: string[];
  scopes: string[];
  dpopRequired: boolean;
}

interface TriedUrl {
  url: string;
  why: string;
  failure?: string;
}

export interface MetadataSearch {
  resource?: ResourceMetadata;
  /** The URLs without usable metadata, and what each of them answered. */
  tried: TriedUrl[];
  /** The challenge that led to this search, and the scopes that it requires. */
  challenge: Challenge | undefined;
  requiredScopes: string[];
}

export interface EarlyMetadata {
  href: string;
  outcome: Promise<MetadataOutcome>;
}

/** The URL that was asked for and the one that answered. Metadata may name the server by either. */
interface ServerNames {
  server: HttpAddress;
  target: HttpAddress;
}

/**
 * Requests the metadata of an open server while its tools are listed, which saves a round trip. Only the server's own
 * path is requested, because some servers treat an early request for the root document as an error.
 */
export function requestMetadataEarly(state: DiscoveryState, opening: Opening): EarlyMetadata | undefined {
  if (!isOpenServer(opening) || opening.server.url.pathname === "/") return undefined;
  const [address] = listResourceMetadataUrls(opening.server);
  if (!address) return undefined;
  const outcome = fetchMetadata(state, { step: "resource_metadata", address, timeoutMs: metadataTimeoutMs });
  outcome.catch(() => undefined);
  return { href: address.href, outcome };
}

/**
 * Step 4: looks for protected resource metadata where the challenge says, then at the well-known URLs one after
 * another, because some servers treat an early request for the root document as an error.
 */
export async function findResourceMetadata(
  state: DiscoveryState,
  access: Access,
  early: EarlyMetadata | undefined,
): Promise<MetadataSearch> {
  if (access.kind === "settled") return { tried: [], challenge: undefined, requiredScopes: [] };
  if (access.kind === "open") {
    const search: MetadataSearch = { tried: [], challenge: undefined, requiredScopes: [] };
    const wellKnown = listResourceMetadataUrls(access.server);
    return searchWellKnown(state, access.server, wellKnown.slice(0, 1), search, early);
  }
  const { token: challenge, scopes: requiredScopes } = access.challenges;
  const search: MetadataSearch = { tried: [], challenge, requiredScopes };
  const named = await readNamedMetadata(state, access.server, search, early);
  if (named.resource) return named;
  return searchWellKnown(state, access.server, listResourceMetadataUrls(access.server), named, early);
}

async function searchWellKnown(
  state: DiscoveryState,
  server: HttpAddress,
  wellKnown: HttpAddress[],
  search: MetadataSearch,
  early: EarlyMetadata | undefined,
): Promise<MetadataSearch> {
  let current = search;
  for (const address of wellKnown) {
    if (current.tried.some(({ url }) => url === address.display)) continue;
    current = await readMetadata(state, server, { address, rule: wellKnownRule }, current, early);
    if (current.resource) break;
  }
  return current;
}

/** Reads the metadata that the challenge of a search names. */
export async function readNamedMetadata(
  state: DiscoveryState,
  server: HttpAddress,
  search: MetadataSearch,
  early?: EarlyMetadata,
): Promise<MetadataSearch> {
  const named = search.challenge?.params.resource_metadata;
  if (named === undefined) return search;
  const address = server.resolve(named.replace(/^'(.*)'$/, "$1"));
  if (!address?.isSecureFrom(server)) {
    const what = address ? `plain http (${address.display})` : "something that is not a web address";
    state.findings.warn(
      address ? "oauth_insecure_endpoint" : "oauth_resource_metadata_unavailable",
      `The challenge names ${what} as the place of its metadata; it was not fetched, and the well-known places were tried instead. The server's operator has to correct resource_metadata.`,
    );
    return search;
  }
  const read = await readMetadata(state, server, { address, rule: challengeRule }, search, early);
  if (!read.resource) warnOfUnusable(state.findings, address, read.tried.at(-1));
  return read;
}

function warnOfUnusable(findings: Findings, address: HttpAddress, last: TriedUrl | undefined) {
  const isRefused = last?.failure === "refused_by_policy";
  findings.warn(
    isRefused ? "egress_refused" : "oauth_resource_metadata_unavailable",
    `The challenge names ${address.display} as the place of its metadata, but nothing usable is there: ${formatSentence(last?.why)} The well-known places were tried instead. ${
      isRefused
        ? "If this address is yours and meant to be reached, list it in EGRESS_ALLOW."
        : "The server's operator has to repair that document."
    }`,
  );
}

/** Reads one document, and adds it to the search either as the resource or as a URL that was tried. */
async function readMetadata(
  state: DiscoveryState,
  server: HttpAddress,
  { address, rule }: { address: HttpAddress; rule: string },
  search: MetadataSearch,
  early: EarlyMetadata | undefined,
): Promise<MetadataSearch> {
  const request = { step: "resource_metadata", address, timeoutMs: metadataTimeoutMs };
  const outcome = await (early?.href === address.href ? early.outcome : fetchMetadata(state, request));
  const { entry } = outcome;
  if (outcome.kind === "absent") {
    const { why, failure } = outcome;
    entry.conclude(`Nothing usable: ${why}.`.replace("..", "."), rule);
    return addTried(search, { url: address.display, why, ...(failure ? { failure } : {}) });
  }
  const resource = parseResourceMetadata(outcome.document, address, { server, target: state.target });
  if (!resource) {
    entry.conclude("JSON, but no protected resource metadata.", rule);
    const why = "answered JSON that is no protected resource metadata";
    return addTried(search, { url: address.display, why });
  }
  const { issuers, isTrusted } = resource;
  entry.conclude(
    isTrusted
      ? `Metadata for this server, naming ${issuers.length} authorization ${issuers.length === 1 ? "server" : "servers"}.`
      : "Metadata that speaks of another resource; its authorization servers are not used.",
    isTrusted ? rule : "RFC 9728 §3.3: a resource that is not the one asked for must not be used",
    "authentication.kind",
    "authentication.resource",
    "authentication.protectedResourceMetadataUrl",
  );
  return { ...search, resource };
}

function addTried(search: MetadataSearch, tried: TriedUrl): MetadataSearch {
  return { ...search, tried: [...search.tried, tried] };
}

/** Lists the URLs where protected resource metadata may be, in the required order (RFC 9728 §3.1). */
export function listResourceMetadataUrls({ url }: HttpAddress): HttpAddress[] {
  const base = "/.well-known/oauth-protected-resource";
  const path = url.pathname === "/" ? "" : url.pathname;
  const paths = [`${base}${path}${url.search}`];
  // Many servers drop the slash that RFC 9728 keeps.
  if (path.endsWith("/")) paths.push(`${base}${path.slice(0, -1)}${url.search}`);
  paths.push(base);
  return [...new Set(paths)].map((suffix) => new HttpAddress(new URL(suffix, url.origin)));
}

/** Reads a document as protected resource metadata, or returns undefined if it is something else. */
export function parseResourceMetadata(
  document: JsonObject,
  address: HttpAddress,
  { server, target }: ServerNames,
): ResourceMetadata | undefined {
  const resource = readString(document, "resource");
  // A single server that is not in a list is unambiguous and is accepted.
  const single = readString(document, "authorization_servers");
  const listed = single === undefined ? readStrings(document, "authorization_servers", 50) : [single];
  if (resource === undefined && listed === undefined) return undefined;
  const scopes = [...new Set(readWords(document, "scopes_supported"))];
  const match = resource === undefined ? "unnamed" : findClosestMatch(resource, [target, server]);
  // Without a name, only a document on the server's own origin can be about the server.
  const isTrusted =
    match === "unnamed" ? address.origin === server.origin : match !== "same_origin" && match !== "foreign";
  return {
    address,
    ...(resource === undefined ? {} : { resource: resource.slice(0, 2048) }),
    isTrusted,
    match,
    issuers: removeDuplicates((listed ?? []).map((issuer) => issuer.trim())),
    scopes,
    dpopRequired: document.dpop_bound_access_tokens_required === true,
  };
}

/** Removes issuers that differ only in spelling, because they are one server and not a choice between two. */
function removeDuplicates(issuers: string[]): string[] {
  const known = new Set<string>();
  return issuers.filter((issuer) => {
    const normalized = normalizeUrl(issuer);
    return !known.has(normalized) && known.add(normalized);
  });
}

const matchesByCloseness: readonly ResourceMatch[] = [
  "exact",
  "trailing_slash",
  "query",
  "parent",
  "same_origin",
  "foreign",
];

function findClosestMatch(resource: string, addresses: HttpAddress[]): ResourceMatch {
  const matches = addresses.map((address) => compareResource(resource, address));
  return matchesByCloseness.find((match) => matches.includes(match)) ?? "foreign";
}

/** Compares the `resource` of protected resource metadata with a URL of the server (RFC 9728 §3.3). */
export function compareResource(resource: string, { url }: HttpAddress): ResourceMatch {
  const named = parseAddress(resource)?.url;
  if (!named || named.origin !== url.origin) return "foreign";
  const withoutFragment = ({ href }: URL) => href.replace(/#.*$/, "");
  if (withoutFragment(named) === withoutFragment(url)) return "exact";
  const withoutSlash = ({ pathname }: URL) => pathname.replace(/\/$/, "");
  const [namedPath, path] = [withoutSlash(named), withoutSlash(url)];
  if (namedPath === path) return named.search === url.search ? "trailing_slash" : "query";
  return `${path}/`.startsWith(`${namedPath}/`) && named.search === "" ? "parent" : "same_origin";
}
