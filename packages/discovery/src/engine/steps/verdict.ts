import type { HttpAddress } from "../address.ts";
import type { Findings } from "../findings.ts";
import type { Authentication, DiscoveryResult, ToolsSection } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import type { Access } from "./access.ts";
import { isOpenServer, type Opening } from "./probe.ts";
import type { ToolList } from "./tools.ts";

/** Step 9: puts the verdict together from the results of the steps. */
export function composeVerdict(
  { url, findings, budget }: DiscoveryState,
  seen: { opening: Opening; tools: ToolList; access: Access },
  { section, status: assessed }: Authentication,
): DiscoveryResult {
  const { opening, tools, access } = seen;
  let status = assessed;
  if (isOpenServer(opening) && !opening.isKnownVersion) {
    warnOfUnknownVersion(findings, opening.server, opening.version);
    status = "unsupported";
  }
  if (opening.era === "credentials_required") {
    warnOfLegacyTransport(findings, opening.outcome.address, opening.onlyByGet === true);
    if (opening.onlyByGet) status = "unsupported";
  }
  if (status === "ready" && findings.requirements.length > 0) status = "manual_action_required";
  if (budget.isExhausted && status !== "unreachable") {
    findings.warn(
      "discovery_incomplete",
      "The time or the number of requests of one discovery was used up before everything could be asked. What is reported was seen; what is missing may exist.",
    );
  }
  return {
    status,
    server: { url, ...describeInitialize(opening, access) },
    authentication: section,
    tools: describeTools(tools, access),
    manualRequirements: findings.requirements,
    warnings: findings.warnings,
  };
}

function describeInitialize(opening: Opening, access: Access): Omit<DiscoveryResult["server"], "url"> {
  if (isOpenServer(opening)) return { protocolVersion: opening.version, initialize: "succeeded" };
  return { initialize: access.kind === "credentials_required" ? "authentication_required" : "failed" };
}

function describeTools(tools: ToolList, access: Access): ToolsSection {
  if (tools.kind === "listed")
    return { visibility: "available_without_auth", count: tools.count, items: tools.items };
  if (tools.kind === "uncounted") return { visibility: "available_without_auth" };
  return { visibility: access.kind === "credentials_required" ? "requires_auth" : "unavailable" };
}

function warnOfUnknownVersion(findings: Findings, server: HttpAddress, version: string) {
  findings.warn(
    "mcp_version_unsupported",
    `${server.display} answered with the revision ${version}, which is not known here. Update this instance, or ask the server's operator for an older revision.`,
  );
}

function warnOfLegacyTransport(findings: Findings, server: HttpAddress, onlyByGet: boolean) {
  if (!onlyByGet && !/\/sse\/?$/.test(server.url.pathname)) return;
  const reason = onlyByGet ? "serves GET but not POST" : "ends in /sse";
  findings.warn(
    "legacy_sse_suspected",
    `${server.display} ${reason}, as endpoints of the replaced HTTP+SSE transport do; behind its sign-in this could not be checked. If the server's documentation names another endpoint (often /mcp), use that.`,
  );
}
