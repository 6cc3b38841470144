import type { Discovery } from "../contract.ts";
import { isUpgrade, showUrl } from "./address.ts";
import type { RpcOutcome } from "./exchange.ts";
import { describe } from "./probe.ts";
import { offeredVersions, UNSUPPORTED_VERSION } from "./protocol.ts";
import { DiscoveryError, type Findings } from "./types.ts";

type Status = Discovery["status"];

/** Statuses that say "not now" rather than "not this": of such a server nothing is known yet. */
const NOT_NOW = new Set([408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530]);

/** Of two outcomes the one that says more: an answer before a silence. */
export function moreTelling(first: RpcOutcome, second: RpcOutcome): RpcOutcome {
  return first.kind === "failed" && second.kind !== "failed" ? second : first;
}

/** Nothing that speaks MCP answered. Says what did, and what a person can do about it. */
export function explainRefusal(findings: Findings, outcome: RpcOutcome, given: URL): Status {
  const where = showUrl(outcome.url);
  switch (outcome.kind) {
    case "failed":
      return explainFailure(findings, outcome, where);
    case "redirect":
      return explainRedirect(findings, outcome, given);
    case "http":
      return explainStatus(findings, outcome, where);
    case "wrong_host":
      return explainWrongHost(findings, outcome, given);
    case "error": {
      const offered = offeredVersions(outcome.data);
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
        `${where} does not speak MCP. ${describe(outcome)} Check the URL: the endpoint often ends in /mcp, and the server's documentation names it.`,
      );
      return "unsupported";
  }
}

function explainFailure(
  findings: Findings,
  outcome: Extract<RpcOutcome, { kind: "failed" }>,
  where: string,
): Status {
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
  outcome: Extract<RpcOutcome, { kind: "http" }>,
  where: string,
): Status {
  const { status, retryAfter, guardian } = outcome;
  if (guardian) {
    findings.warn(
      "mcp_bot_protection",
      `The bot protection in front of ${where} (${guardian}) answered ${status} in place of the server, so nothing is known about it. No MCP client passes such a check: its operator has to exempt the endpoint.`,
    );
    return "unreachable";
  }
  if (NOT_NOW.has(status)) {
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
  { url, status, wants }: Extract<RpcOutcome, { kind: "wrong_host" }>,
  given: URL,
): Status {
  findings.warn(
    `mcp_http_${status}`,
    `${showUrl(url)} answered ${status} because it does not accept the host name ${url.host}${wants ? `; it names ${wants}` : ""}. This is a check of the Host header and says nothing about credentials.`,
  );
  const corrected = wants === undefined ? undefined : withHost(given, wants);
  findings.require(
    "server_url_correction",
    "Use the address that the server accepts",
    corrected
      ? `The server answers only under ${wants}. Discover again with ${showUrl(corrected)}, or have its operator allow ${given.host} in the list of allowed hosts.`
      : `The server does not answer under ${given.host}. Discover again with the address that its operator gives, or have them add ${given.host} to the list of allowed hosts.`,
  );
  return "manual_action_required";
}

/** Replaces the host of a URL. The port stays when `host` has none. */
function withHost(given: URL, host: string): URL {
  const url = new URL(given);
  url.host = host;
  return url;
}

function explainRedirect(
  findings: Findings,
  outcome: Extract<RpcOutcome, { kind: "redirect" }>,
  given: URL,
): Status {
  const { target, status, url } = outcome;
  const where = showUrl(url);
  if (!target) {
    findings.warn("redirected", `${where} redirects (${status}) without saying where to. Tell its operator.`);
    return "unsupported";
  }
  const to = showUrl(target);
  if (isUpgrade(url, target)) {
    findings.warn(
      "redirected",
      `${where} redirects (${status}) to ${to}. A POST does not follow a ${status}, so the server behind it was not examined.`,
    );
    findings.require(
      "https_required",
      "Use the https address",
      `The server is served over https. Use ${to} instead of ${showUrl(given)} and discover again.`,
    );
    return "manual_action_required";
  }
  if (target.origin === url.origin && (status === 301 || status === 308)) {
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
    target.hostname !== url.hostname
      ? `It was not followed: another host (${target.host}) decides for itself what to ask of you. If this is a sign-in page, the URL is a web page and not an MCP endpoint; if you trust that host, discover its URL.`
      : target.protocol === "http:" && url.protocol === "https:"
        ? "It was not followed, because it gives up https. Tell the server's operator; the same path over https may work."
        : "It was not followed. If this is a sign-in page, the URL is a web page and not an MCP endpoint.";
  findings.warn(
    "redirected",
    `${where} redirects (${status}) to ${target.hostname === url.hostname ? to : target.host}. ${advice}`,
  );
  return "unsupported";
}
