import { type HttpAddress, redactUrl } from "../address.ts";
import type { Findings } from "../findings.ts";
import { DiscoveryError } from "../options.ts";
import { UNSUPPORTED_VERSION } from "../protocol.ts";
import type { DiscoveryStatus } from "../result.ts";
import { describeOutcome, type RpcOutcome } from "../transport/outcomes.ts";

/** Statuses of a temporary failure, after which nothing is known about the server. */
const temporaryStatuses = new Set([
  408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530,
]);

/** Reports what answered in place of a usable MCP server, and what a person can do about it. */
export function explainRefusal(
  findings: Findings,
  outcome: RpcOutcome,
  target: HttpAddress,
): DiscoveryStatus {
  const where = outcome.address.display;
  switch (outcome.kind) {
    case "failed":
      return explainFailure(findings, outcome, where);
    case "redirect":
      return explainRedirect(findings, outcome, target);
    case "http_status":
      return explainStatus(findings, outcome, where);
    case "wrong_host":
      return explainWrongHost(findings, outcome, target);
    case "error": {
      const offered = outcome.offeredVersions;
      if (outcome.code === UNSUPPORTED_VERSION || offered.length > 0) {
        findings.warn(
          "mcp_version_unsupported",
          `${where} speaks MCP, but no revision known here${offered.length > 0 ? ` (it offers ${offered.join(", ")})` : ""}. Update this instance, or ask the server's operator for an older revision.`,
        );
        return "unsupported";
      }
      findings.warn(
        "mcp_protocol_error",
        `${where} speaks JSON-RPC, but answered neither server/discover nor initialize: error ${outcome.code}, HTTP ${outcome.status}. Check that the URL is the server's MCP endpoint.`,
      );
      return "unsupported";
    }
    default:
      findings.warn(
        "mcp_protocol_error",
        `${where} does not speak MCP. ${describeOutcome(outcome)} Check the URL: the endpoint often ends in /mcp, and the server's documentation names it.`,
      );
      return "unsupported";
  }
}

function explainFailure(
  findings: Findings,
  outcome: Extract<RpcOutcome, { kind: "failed" }>,
  where: string,
): DiscoveryStatus {
  const { failure, explanation, status } = outcome;
  switch (failure) {
    case "resolver_down":
      throw new DiscoveryError(
        "The name resolver of this machine does not answer, so no server can be looked up. Check its DNS settings and try again.",
      );
    case "aborted":
      throw new DiscoveryError(
        "The discovery was stopped before anything could be said about the server. Try again.",
      );
    case "refused_by_policy":
      findings.warn("egress_refused", `${where} was not called: ${explanation}`);
      findings.require(
        "network_trust",
        "Allow the server's address",
        `${explanation} Only an operator of this instance can do that, and should do it only for servers that you run or trust; then discover again.`,
      );
      return "unreachable";
    case "too_large":
      findings.warn(
        "mcp_response_too_large",
        `${where} answered${status === undefined ? "" : ` ${status}`} with more than a discovery reads; the rest was not fetched. ${explanation}`,
      );
      return "unsupported";
    case "bad_encoding":
    case "protocol_error":
      findings.warn(
        "mcp_protocol_error",
        `${where} broke off in a way that no HTTP client can read: ${explanation}`,
      );
      return "unsupported";
    case "deadline":
    case "budget":
      findings.warn(
        "discovery_incomplete",
        `${where} used up the time and requests of one discovery: ${explanation} Try again, or ask its operator why it is slow.`,
      );
      return "unreachable";
    default:
      findings.warn("mcp_unreachable", `${where} could not be reached: ${explanation}`);
      return "unreachable";
  }
}

function explainStatus(
  findings: Findings,
  outcome: Extract<RpcOutcome, { kind: "http_status" }>,
  where: string,
): DiscoveryStatus {
  const { status, retryAfter, botProtection } = outcome;
  if (botProtection) {
    findings.warn(
      "mcp_bot_protection",
      `The bot protection in front of ${where} (${botProtection}) answered ${status} in place of the server, so nothing is known about it. No MCP client passes such a check: its operator has to exempt the endpoint.`,
    );
    return "unreachable";
  }
  if (temporaryStatuses.has(status)) {
    const when = retryAfter ? ` It asks to be tried again ${retryAfter}.` : " Try again later.";
    findings.warn(
      `mcp_http_${status}`,
      `${where} answered ${status}: it takes no requests at the moment, so nothing is known about it yet.${when}`,
    );
    return "unreachable";
  }
  const advice =
    status === 404 || status === 405
      ? "Nothing there speaks MCP. Check the URL: the endpoint often ends in /mcp, and the server's documentation names it."
      : status === 402
        ? "It wants to be paid before it answers, which cannot be done here. Ask its operator for access."
        : status >= 500
          ? "The server failed on both openings of the protocol. Tell its operator."
          : "Check the URL, or ask the server's operator.";
  findings.warn(
    `mcp_http_${status}`,
    `${where} answered ${status} to both server/discover and initialize, without an MCP message. ${advice}`,
  );
  return "unsupported";
}

function explainWrongHost(
  findings: Findings,
  { address, status, acceptedHost }: Extract<RpcOutcome, { kind: "wrong_host" }>,
  target: HttpAddress,
): DiscoveryStatus {
  findings.warn(
    `mcp_http_${status}`,
    `${address.display} answered ${status} because it does not accept the host name ${address.host}${acceptedHost ? `; it names ${acceptedHost}` : ""}. This is a check of the Host header and says nothing about credentials.`,
  );
  const corrected = acceptedHost === undefined ? undefined : replaceHost(target, acceptedHost);
  findings.require(
    "server_url_correction",
    "Use the address that the server accepts",
    corrected
      ? `The server answers only under ${acceptedHost}. Discover again with ${redactUrl(corrected)}, or have its operator allow ${target.host} in the list of allowed hosts.`
      : `The server does not answer under ${target.host}. Discover again with the address that its operator gives, or have them add ${target.host} to the list of allowed hosts.`,
  );
  return "manual_action_required";
}

/** Replaces the host of a URL. The port stays when `host` has none. */
function replaceHost(target: HttpAddress, host: string): URL {
  const url = new URL(target.url);
  url.host = host;
  return url;
}

function explainRedirect(
  findings: Findings,
  outcome: Extract<RpcOutcome, { kind: "redirect" }>,
  target: HttpAddress,
): DiscoveryStatus {
  const { target: location, status, address } = outcome;
  const where = address.display;
  if (!location) {
    findings.warn("redirected", `${where} redirects (${status}) without saying where to. Tell its operator.`);
    return "unsupported";
  }
  const to = location.display;
  if (location.isHttpsVersionOf(address)) {
    findings.warn(
      "redirected",
      `${where} redirects (${status}) to ${to}. A POST does not follow a ${status}, so the server behind it was not examined.`,
    );
    findings.require(
      "https_required",
      "Use the https address",
      `The server is served over https. Use ${to} instead of ${target.display} and discover again.`,
    );
    return "manual_action_required";
  }
  if (location.origin === address.origin && (status === 301 || status === 308)) {
    findings.warn(
      "redirected",
      `${where} has moved (${status}) to ${to}. A POST does not follow a ${status} for ever, so the server behind it was not examined.`,
    );
    findings.require(
      "server_url_correction",
      "Use the new address",
      `The server has moved. Use ${to} and discover again.`,
    );
    return "manual_action_required";
  }
  const advice =
    location.url.hostname !== address.url.hostname
      ? `It was not followed: another host (${location.host}) decides for itself what to ask of you. If this is a sign-in page, the URL is a web page and not an MCP endpoint; if you trust that host, discover its URL.`
      : location.url.protocol === "http:" && address.url.protocol === "https:"
        ? "It was not followed, because it gives up https. Tell the server's operator; the same path over https may work."
        : "It was not followed. If this is a sign-in page, the URL is a web page and not an MCP endpoint.";
  findings.warn(
    "redirected",
    `${where} redirects (${status}) to ${location.url.hostname === address.url.hostname ? to : location.host}. ${advice}`,
  );
  return "unsupported";
}
