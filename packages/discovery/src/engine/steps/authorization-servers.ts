import { createAddress, type HttpAddress, normalizeUrl, parseAddress, redactUrl } from "../address.ts";
import { Findings, formatSentence } from "../findings.ts";
import { readString } from "../json.ts";
import type { DiscoveryState } from "../state.ts";
import { fetchMetadata } from "../transport/http.ts";
import type { MetadataOutcome } from "../transport/outcomes.ts";
import type { Access } from "./access.ts";
import { assessServerMetadata, createEmptyFinding, type ServerFinding } from "./server-metadata.ts";

const metadataTimeoutMs = 5000;
/** Up to this many servers, all candidate URLs are requested at once: it saves a round trip on OpenID providers. */
const maxServersAtOnce = 2;

/** Step 7: requests the metadata of each authorization server. The order of the list is kept; none is preferred. */
export async function findAuthorizationServers(
  state: DiscoveryState,
  access: Access,
  issuers: readonly string[],
): Promise<ServerFinding[]> {
  if (access.kind === "settled") return [];
  // Problems of an optional sign-in do not matter for a server that works without it.
  const findings = access.kind === "open" ? new Findings() : state.findings;
  const examined = issuers.slice(0, state.limits.authorizationServers);
  if (examined.length < issuers.length) {
    findings.warn(
      "oauth_servers_truncated",
      `The server names ${issuers.length} authorization servers; only the first ${examined.length} were examined.`,
    );
  }
  const isConcurrent = examined.length <= maxServersAtOnce;
  return Promise.all(
    examined.map((issuer) =>
      findServer(state, findings, { issuer, namedBy: access.server, isConcurrent, isExpected: true }),
    ),
  );
}

/** Looks for the authorization server where MCP 2025-03-26 put it: at the origin of the MCP server. */
export async function findOriginServer(
  state: DiscoveryState,
  findings: Findings,
  server: HttpAddress,
): Promise<ServerFinding | undefined> {
  if (server.isUnencrypted) return undefined;
  const { origin } = server;
  const found = await findServer(state, findings, {
    issuer: origin,
    namedBy: server,
    isConcurrent: true,
    isExpected: false,
  });
  if (found.state === "unknown" || found.state === "dropped") return undefined;
  findings.warn(
    "oauth_origin_discovery",
    `The server publishes no protected resource metadata; the authorization server at its own origin (${origin}) was taken, as MCP 2025-03-26 said. That form is deprecated: its operator should publish ${origin}/.well-known/oauth-protected-resource.`,
  );
  return found;
}

interface ServerLookup {
  issuer: string;
  namedBy: HttpAddress;
  /** Requests all candidate URLs at the same time. */
  isConcurrent: boolean;
  /** False when it is no problem that there is no such server. */
  isExpected: boolean;
}

async function findServer(
  state: DiscoveryState,
  findings: Findings,
  lookup: ServerLookup,
): Promise<ServerFinding> {
  const { issuer, namedBy } = lookup;
  const address = parseAddress(issuer);
  if (!address || !isIssuer(address)) {
    findings.warn(
      "oauth_server_metadata_unavailable",
      `The authorization server ${redactUrl(issuer)} is not an issuer identifier (RFC 8414 §2: an https URL without query or fragment); it was left out.`,
    );
    return createEmptyFinding(issuer, "dropped");
  }
  if (!address.isSecureFrom(namedBy)) {
    findings.warn(
      "oauth_insecure_endpoint",
      `The authorization server ${address.display} is reached over plain http, where tokens could be read on the way; it was left out. Its operator has to offer https.`,
    );
    return createEmptyFinding(issuer, "dropped");
  }
  return readCandidates(state, findings, address, lookup);
}

function isIssuer({ url }: HttpAddress): boolean {
  return !/[?#]/.test(url.href) && url.username === "" && url.password === "";
}

async function readCandidates(
  state: DiscoveryState,
  findings: Findings,
  address: HttpAddress,
  { issuer, isConcurrent, isExpected }: ServerLookup,
): Promise<ServerFinding> {
  const request = (candidate: HttpAddress) =>
    fetchMetadata(state, { step: "server_metadata", address: candidate, timeoutMs: metadataTimeoutMs });
  const candidates = listServerMetadataUrls(address);
  const requested = isConcurrent ? candidates.map(request) : [];
  for (const outcome of requested) outcome.catch(() => undefined);
  const display = redactUrl(issuer);
  const tried: string[] = [];
  let isRefused = false;
  let otherIssuer: string | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const rule = chooseRule(candidate);
    const outcome = await (requested[index] ?? request(candidate));
    const named = outcome.kind === "document" ? readString(outcome.document, "issuer") : undefined;
    if (outcome.kind === "absent" || named === undefined) {
      const why = outcome.kind === "absent" ? outcome.why : "answered JSON that names no issuer";
      outcome.entry.conclude(formatSentence(why), rule);
      tried.push(`${candidate.display} ${/^[A-Z]/.test(why) ? `(${why.replace(/\.$/, "")})` : why}`);
      isRefused ||= outcome.kind === "absent" && outcome.failure === "refused_by_policy";
      continue;
    }
    if (named !== issuer && normalizeUrl(named) !== normalizeUrl(issuer)) {
      outcome.entry.conclude(
        "The issuer in the document is another one; the document is not used.",
        "RFC 8414 §3.3: issuer must be identical",
      );
      otherIssuer ??= named;
      continue;
    }
    if (named !== issuer) {
      findings.warn(
        "oauth_issuer_inexact",
        `${display} calls itself ${redactUrl(named)}: the same address, written differently. Common, and harmless here; strict clients may refuse it.`,
      );
    }
    recordUnneeded(requested.slice(index + 1));
    const found = assessServerMetadata(state, findings, outcome, { issuer, address });
    outcome.entry.conclude(
      `Metadata of ${display}: ${found.state === "usable" ? "a browser sign-in is possible" : "no sign-in is possible as it stands"}.`,
      rule,
      "authentication.authorizationServers",
      "authentication.refreshSupport",
      "authentication.availableRegistrationMethods",
    );
    return found;
  }
  if (otherIssuer !== undefined) {
    findings.warn(
      "oauth_issuer_mismatch",
      `The metadata of the authorization server ${display} is issued by ${redactUrl(otherIssuer)}. A document that speaks for somebody else must not be used, so this authorization server was left out. Its operator has to make both strings the same.`,
    );
    return createEmptyFinding(issuer, "dropped");
  }
  if (isExpected) {
    findings.warn(
      isRefused ? "egress_refused" : "oauth_server_metadata_unavailable",
      `The authorization server ${display} publishes no metadata that can be read. Tried: ${tried.join("; ")}.`,
    );
  }
  return { ...createEmptyFinding(issuer, "unknown"), isRefused };
}

/** Records the answers of candidates that turned out to be unnecessary. */
function recordUnneeded(outcomes: Promise<MetadataOutcome>[]) {
  for (const outcome of outcomes) {
    outcome
      .then(({ entry }) => entry.conclude("Not needed: a better place had answered.", "RFC 8414 §3.1"))
      .catch(() => undefined);
  }
}

/** Lists the URLs where the metadata of an issuer may be, best first (RFC 8414 §3.1, OpenID Connect Discovery §4). */
export function listServerMetadataUrls({ url }: HttpAddress): HttpAddress[] {
  const path = url.pathname.replace(/\/$/, "");
  const paths = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${path}/.well-known/openid-configuration`]),
  ];
  // Not `new URL(suffix, origin)`: a path that begins with two slashes would replace the host.
  return paths.map((suffix) => createAddress(url.origin + suffix));
}

function chooseRule({ url }: HttpAddress): string {
  return url.pathname.includes("oauth-authorization-server")
    ? "RFC 8414 §3.1: well-known place of authorization server metadata"
    : "OpenID Connect Discovery 1.0 §4, allowed by MCP 2025-11-25 › Authorization Server Metadata Discovery";
}
