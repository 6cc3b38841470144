import {
  compareResource,
  isSecure,
  type ResourceMatch,
  resolveHttpUrl,
  resourceMetadataUrls,
  sameAddress,
  showUrl,
} from "./address.ts";
import type { MetadataOutcome } from "./exchange.ts";
import { type JsonObject, stringAt, stringsAt, wordsAt } from "./json.ts";
import type { Findings } from "./types.ts";
import type { Wire } from "./wire.ts";

const METADATA_MS = 5000;

export interface Resource {
  url: URL;
  resource?: string;
  /** False when the metadata speaks of something else: its authorization servers must then not be used. */
  trusted: boolean;
  match: ResourceMatch | "unnamed";
  issuers: string[];
  scopes: string[];
  dpopRequired: boolean;
}

export interface ResourceSearch {
  found?: Resource;
  /** Where it was looked for, and what came instead. */
  tried: { url: string; why: string; failure?: string }[];
}

export interface EarlyMetadata {
  href: string;
  outcome: Promise<MetadataOutcome>;
}

/**
 * Asks for the metadata of a server while its tools are being listed, which saves a round trip whatever they
 * say. Only at the server's own path: an early request for the root document is an error to some.
 */
export function askEarly(wire: Wire, server: URL): EarlyMetadata | undefined {
  const [first] = resourceMetadataUrls(server);
  if (!first || server.pathname === "/") return undefined;
  const outcome = wire.metadata("resource_metadata", first, METADATA_MS);
  outcome.catch(() => undefined);
  return { href: first.href, outcome };
}

/**
 * Looks for protected resource metadata: where the challenge says, and only if that fails at the well-known
 * places, one after another, because some servers take an early request for the root document as an error.
 */
export async function findResource(
  wire: Wire,
  findings: Findings,
  asked: {
    server: URL;
    given: URL;
    named?: string;
    wellKnown: "all" | "first" | "none";
    /** Metadata that was asked for ahead of time, by its address. */
    early?: EarlyMetadata | undefined;
  },
): Promise<ResourceSearch> {
  const tried: ResourceSearch["tried"] = [];
  if (asked.named !== undefined) {
    const found = await readNamed(asked.named);
    if (found) return { found, tried };
  }
  const places = resourceMetadataUrls(asked.server);
  for (const url of places.slice(0, { all: places.length, first: 1, none: 0 }[asked.wellKnown])) {
    if (tried.some((known) => known.url === showUrl(url))) continue;
    const found = await read(url, "RFC 9728 §3.1: well-known place of protected resource metadata");
    if (found) return { found, tried };
  }
  return { tried };

  async function readNamed(named: string): Promise<Resource | undefined> {
    const text = named.replace(/^'(.*)'$/, "$1");
    const url = resolveHttpUrl(text, asked.server);
    if (!url || !isSecure(url, asked.server)) {
      const what = url ? `plain http (${showUrl(url)})` : "something that is not a web address";
      findings.warn(
        url ? "oauth_insecure_endpoint" : "oauth_resource_metadata_unavailable",
        `The challenge names ${what} as the place of its metadata; it was not fetched, and the well-known places were tried instead. The server's operator has to correct resource_metadata.`,
      );
      return undefined;
    }
    const found = await read(url, "RFC 9728 §5.1: resource_metadata in the challenge");
    if (found) return found;
    const last = tried.at(-1);
    const code =
      last?.failure === "refused_by_policy" ? "egress_refused" : "oauth_resource_metadata_unavailable";
    findings.warn(
      code,
      `The challenge names ${showUrl(url)} as the place of its metadata, but nothing usable is there: ${sentence(last?.why)} The well-known places were tried instead. ${
        code === "egress_refused"
          ? "If this address is yours and meant to be reached, list it in EGRESS_ALLOW."
          : "The server's operator has to repair that document."
      }`,
    );
    return undefined;
  }

  async function read(url: URL, rule: string): Promise<Resource | undefined> {
    const early = asked.early?.href === url.href ? asked.early.outcome : undefined;
    const outcome = await (early ?? wire.metadata("resource_metadata", url, METADATA_MS));
    if (outcome.kind === "absent") {
      outcome.note.learn(`Nothing usable: ${outcome.why}.`.replace("..", "."), rule);
      tried.push({
        url: showUrl(url),
        why: outcome.why,
        ...(outcome.failure ? { failure: outcome.failure } : {}),
      });
      return undefined;
    }
    const resource = readResource(outcome.document, url, asked);
    if (!resource) {
      outcome.note.learn("JSON, but no protected resource metadata.", rule);
      tried.push({ url: showUrl(url), why: "answered JSON that is no protected resource metadata" });
      return undefined;
    }
    const { issuers, trusted } = resource;
    outcome.note.learn(
      trusted
        ? `Metadata for this server, naming ${issuers.length} authorization ${issuers.length === 1 ? "server" : "servers"}.`
        : "Metadata that speaks of another resource; its authorization servers are not used.",
      trusted ? rule : "RFC 9728 §3.3: a resource that is not the one asked for must not be used",
      "authentication.kind",
      "authentication.resource",
      "authentication.protectedResourceMetadataUrl",
    );
    return resource;
  }
}

/** Reads a document as protected resource metadata, or returns undefined when it is none. */
export function readResource(
  document: JsonObject,
  url: URL,
  asked: { server: URL; given: URL },
): Resource | undefined {
  const resource = stringAt(document, "resource");
  // One server written without its list has one reading only.
  const single = stringAt(document, "authorization_servers");
  const listed = single === undefined ? stringsAt(document, "authorization_servers", 50) : [single];
  if (resource === undefined && listed === undefined) return undefined;
  const match = resource === undefined ? "unnamed" : bestMatch(resource, asked);
  // Without a name, only a document on the server's own origin can be about the server.
  const trusted =
    match === "unnamed" ? url.origin === asked.server.origin : match !== "same_origin" && match !== "foreign";
  return {
    url,
    ...(resource === undefined ? {} : { resource: resource.slice(0, 2048) }),
    trusted,
    match,
    issuers: onceEach((listed ?? []).map((issuer) => issuer.trim())),
    scopes: [...new Set(wordsAt(document, "scopes_supported"))],
    dpopRequired: document.dpop_bound_access_tokens_required === true,
  };
}

/** One server written in two ways is one server, not a choice between two. */
function onceEach(issuers: string[]): string[] {
  const known = new Set<string>();
  return issuers.filter((issuer) => {
    const address = sameAddress(issuer);
    return !known.has(address) && known.add(address);
  });
}

const CLOSEST: readonly ResourceMatch[] = [
  "exact",
  "trailing_slash",
  "query",
  "parent",
  "same_origin",
  "foreign",
];

/** The server may name itself by the address it was asked at or by the one it redirected to. */
function bestMatch(resource: string, { server, given }: { server: URL; given: URL }): ResourceMatch {
  const matches = [compareResource(resource, given), compareResource(resource, server)];
  return CLOSEST.find((match) => matches.includes(match)) ?? "foreign";
}

/** Ends a fragment of a sentence as a sentence. */
export function sentence(text: string | undefined): string {
  if (text === undefined || text === "") return "";
  const capital = text[0]?.toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
