import type { Discovery } from "../contract.ts";
import { isLoopback, isUpgrade, showUrl } from "./address.ts";
import { type Authentication, examineDemand, examineOptional, plain } from "./authentication.ts";
import { type Probe, probe } from "./probe.ts";
import { asksForCredentials } from "./protocol.ts";
import { explainRefusal, moreTelling } from "./refusal.ts";
import { askEarly, type EarlyMetadata } from "./resource.ts";
import { createSessions } from "./sessions.ts";
import { listTools, type Talking, type ToolsSeen } from "./tools.ts";
import { createTrail } from "./trail.ts";
import { createFindings, DEFAULT_LIMITS, type DiscoveryOptions, type DiscoveryOutcome } from "./types.ts";
import { createWire } from "./wire.ts";

export { DiscoveryError } from "./types.ts";
export type { DiscoveryOptions, DiscoveryOutcome };

/** How long the answer waits for sessions to be closed. Past that it goes out, and they are closed behind it. */
const CLOSING_MS = 1000;

/** Finds out how an MCP server must be connected, without leaving anything behind. */
export async function discoverRequirements(options: DiscoveryOptions): Promise<DiscoveryOutcome> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const given = new URL(options.url);
  const clientInfo = options.clientInfo ?? { name: "signalbox-discovery", version: "0.1.0" };
  const findings = createFindings();
  const trail = createTrail();
  const sessions = createSessions();
  const wire = createWire({
    egress: options.egress,
    given,
    limits,
    trail,
    userAgent: `${clientInfo.name}/${clientInfo.version}`,
    onSession: sessions.opened,
  });
  const desk = { wire, findings, limits, redirectUri: options.redirectUri };

  try {
    const found = await probe(wire, given, clientInfo);
    const verdict =
      found.era === "modern" || found.era === "handshake"
        ? await examineTalking(found)
        : await examineSilent(found);
    if (wire.exhausted() && verdict.status !== "unreachable") {
      findings.warn(
        "discovery_incomplete",
        "The time or the number of requests of one discovery was used up before everything could be asked. What is reported was seen; what is missing may exist.",
      );
    }
    trail.finish();
    await sessions.closeWithin(wire, Math.min(CLOSING_MS, wire.remainingMs()));
    return {
      result: { ...verdict, manualRequirements: findings.requirements, warnings: findings.warnings },
      get evidence() {
        return trail.read();
      },
      closed: sessions.settled(wire),
    };
  } finally {
    wire.finish();
    sessions.close(wire);
  }

  type Verdict = Omit<Discovery, "manualRequirements" | "warnings">;

  async function examineTalking(found: Talking): Promise<Verdict> {
    const server = { url: options.url, protocolVersion: found.version, initialize: "succeeded" as const };
    noteRedirect(found.url);
    if (found.era === "modern") sessions.close(wire);
    const early = askEarly(wire, found.url);
    const tools = await listTools(wire, found, clientInfo, limits);
    sessions.close(wire, found.version);
    const seen = await examineTools(found, tools, early);
    if (!found.known) {
      findings.warn(
        "mcp_version_unsupported",
        `${showUrl(found.url)} answered with the revision ${found.version}, which is not known here. Update this instance, or ask the server's operator for an older revision.`,
      );
    }
    const status = found.known ? seen.status : "unsupported";
    return {
      status: withRequirements(status),
      server,
      authentication: seen.section,
      tools: describeTools(tools),
    };
  }

  async function examineTools(
    found: Talking,
    tools: ToolsSeen,
    early: EarlyMetadata | undefined,
  ): Promise<Authentication> {
    if (tools.kind === "auth") {
      const { status, challenges } = tools.auth;
      return examineDemand(desk, { server: found.url, given, status, challenges, early });
    }
    if (tools.kind === "undeclared_auth") return examineUndeclared(found.url, early);
    if (tools.kind === "failed") {
      const status = explainRefusal(findings, tools.outcome, given);
      findings.warn(
        "tools_unavailable",
        `${showUrl(found.url)} let us in without credentials, but its tools could not be listed. Whether they need credentials is therefore not known.`,
      );
      return { section: plain("unknown"), status };
    }
    if (tools.kind === "uncounted" || tools.truncated) {
      const why = tools.kind === "uncounted" ? "the list is larger than a discovery reads" : tools.truncated;
      findings.warn(
        "tools_truncated",
        `Not all tools of ${showUrl(found.url)} are listed: ${why}. The count is what was seen.`,
      );
    }
    if (found.url.protocol === "http:" && !isLoopback(found.url)) {
      findings.warn(
        "mcp_insecure_transport",
        `${showUrl(found.url)} is plain http: what tools are asked and answer can be read and changed on the way. Use https where the server offers it.`,
      );
    }
    return { section: await examineOptional(desk, { server: found.url, given, early }), status: "ready" };
  }

  async function examineSilent(found: Exclude<Probe, Talking>): Promise<Verdict> {
    const unavailable = { visibility: "unavailable" as const };
    if (found.era === "auth") {
      const { url, status, challenges } = found.auth;
      noteRedirect(url);
      const { section, status: judged } = await examineDemand(desk, {
        server: url,
        given,
        status,
        challenges,
      });
      const asked = { url: options.url, initialize: "authentication_required" as const };
      suspectLegacy(url, found.onlyByGet === true);
      const verdict = found.onlyByGet ? "unsupported" : judged;
      return {
        status: withRequirements(verdict),
        server: asked,
        authentication: section,
        tools: { visibility: "requires_auth" },
      };
    }
    const server = { url: options.url, initialize: "failed" as const };
    if (found.era === "legacy_sse") {
      findings.warn(
        "legacy_sse_transport",
        `${showUrl(found.url)} speaks the HTTP+SSE transport of 2024-11-05, which was replaced in 2025 and cannot be connected here. Ask its operator for a Streamable HTTP endpoint; many servers have one beside it, at /mcp.${
          found.endpointIsForeign
            ? " Its endpoint event names another origin, which no client may follow."
            : ""
        }`,
      );
      return { status: "unsupported", server, authentication: plain("none"), tools: unavailable };
    }
    const outcome = moreTelling(found.initialize, found.discover);
    if (outcome.kind === "error" && asksForCredentials(outcome)) {
      const { section, status } = await examineUndeclared(outcome.url);
      return {
        status: withRequirements(status),
        server: { ...server, initialize: "authentication_required" },
        authentication: section,
        tools: { visibility: "requires_auth" },
      };
    }
    const status = explainRefusal(findings, outcome, given);
    return { status, server, authentication: plain("unknown"), tools: unavailable };
  }

  /** The server wants credentials and says so only inside JSON-RPC, where no client looks for a challenge. */
  async function examineUndeclared(url: URL, early?: EarlyMetadata): Promise<Authentication> {
    findings.warn(
      "mcp_authentication_undeclared",
      `${showUrl(url)} asks for credentials inside a JSON-RPC error instead of answering 401 with a challenge (RFC 9110 §15.5.2). Its operator has to correct that before clients can sign in by themselves; ask which credentials it takes.`,
    );
    return examineDemand(desk, { server: url, given, status: 401, challenges: [], undeclared: true, early });
  }

  function noteRedirect(url: URL) {
    if (url.href === given.href) return;
    findings.warn(
      "redirected",
      `${showUrl(given)} redirects to ${showUrl(url)}, which was examined. Use that address directly.`,
    );
    if (!isUpgrade(given, url)) return;
    findings.require(
      "https_required",
      "Use the https address",
      `The server is served over https. Save ${showUrl(url)} instead of ${showUrl(given)}, so that no request leaves in the clear.`,
    );
  }

  function suspectLegacy(url: URL, onlyByGet: boolean) {
    if (!onlyByGet && !/\/sse\/?$/.test(url.pathname)) return;
    const seen = onlyByGet ? "serves GET but not POST" : "ends in /sse";
    findings.warn(
      "legacy_sse_suspected",
      `${showUrl(url)} ${seen}, as endpoints of the replaced HTTP+SSE transport do; behind its sign-in this could not be checked. If the server's documentation names another endpoint (often /mcp), use that.`,
    );
  }

  function withRequirements(status: Discovery["status"]): Discovery["status"] {
    return status === "ready" && findings.requirements.length > 0 ? "manual_action_required" : status;
  }
}

function describeTools(tools: ToolsSeen): Discovery["tools"] {
  switch (tools.kind) {
    case "listed":
      return { visibility: "available_without_auth", count: tools.count, items: tools.items };
    case "uncounted":
      return { visibility: "available_without_auth" };
    case "failed":
      return { visibility: "unavailable" };
    default:
      return { visibility: "requires_auth" };
  }
}
