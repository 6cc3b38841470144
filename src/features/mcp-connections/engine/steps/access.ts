import type { HttpAddress } from "../address.ts";
import type { Findings } from "../findings.ts";
import type { DiscoveryStatus } from "../result.ts";
import { type Challenges, noChallenges } from "../transport/challenge.ts";
import type { RpcOutcome } from "../transport/outcomes.ts";
import { isOpenServer, type Opening, type OpenServer } from "./probe.ts";
import { explainRefusal } from "./refusal.ts";
import type { ToolList } from "./tools.ts";

export interface CredentialsDemand {
  kind: "credentials_required";
  /** The address that was asked for, and the one that answered after redirects. */
  target: HttpAddress;
  server: HttpAddress;
  /** The HTTP status of the refusal. */
  status: number;
  challenges: Challenges;
  /** True when a JSON-RPC error asks for credentials instead of an HTTP status. */
  isUndeclared: boolean;
}

/** What the server requires of a client, as far as its own answers tell. */
export type Access =
  | CredentialsDemand
  | { kind: "open"; target: HttpAddress; server: HttpAddress }
  /** The verdict is already known, and there is nothing more to look up. */
  | { kind: "settled"; authentication: "none" | "unknown"; status: DiscoveryStatus };

/** Step 3: decides from the answers so far whether the server requires credentials. */
export function assessAccess(
  findings: Findings,
  target: HttpAddress,
  opening: Opening,
  tools: ToolList,
): Access {
  if (isOpenServer(opening)) {
    warnOfRedirect(findings, target, opening.server);
    return assessTools(findings, target, opening, tools);
  }
  if (opening.era === "credentials_required") {
    const { address: server, status, challenges } = opening.outcome;
    warnOfRedirect(findings, target, server);
    return { kind: "credentials_required", target, server, status, challenges, isUndeclared: false };
  }
  if (opening.era === "legacy_sse") {
    findings.warn(
      "legacy_sse_transport",
      `${opening.server.display} speaks the HTTP+SSE transport of 2024-11-05, which was replaced in 2025 and cannot be connected here. Ask its operator for a Streamable HTTP endpoint; many servers have one beside it, at /mcp.${
        opening.endpointIsForeign
          ? " Its endpoint event names another origin, which no client may follow."
          : ""
      }`,
    );
    return { kind: "settled", authentication: "none", status: "unsupported" };
  }
  const outcome = chooseMoreInformative(opening.initialize, opening.discover);
  if (outcome.kind === "error" && outcome.asksForCredentials)
    return demandUndeclared(findings, target, outcome.address);
  return {
    kind: "settled",
    authentication: "unknown",
    status: explainRefusal(findings, outcome, target),
  };
}

function assessTools(
  findings: Findings,
  target: HttpAddress,
  { server }: OpenServer,
  tools: ToolList,
): Access {
  if (tools.kind === "credentials_required") {
    const { status, challenges } = tools.outcome;
    return { kind: "credentials_required", target, server, status, challenges, isUndeclared: false };
  }
  if (tools.kind === "undeclared_credentials") return demandUndeclared(findings, target, server);
  if (tools.kind === "failed") {
    const status = explainRefusal(findings, tools.outcome, target);
    findings.warn(
      "tools_unavailable",
      `${server.display} let us in without credentials, but its tools could not be listed. Whether they need credentials is therefore not known.`,
    );
    return { kind: "settled", authentication: "unknown", status };
  }
  const truncated =
    tools.kind === "uncounted"
      ? "the list is larger than a discovery reads"
      : tools.kind === "listed" && tools.truncated;
  if (truncated) {
    findings.warn(
      "tools_truncated",
      `Not all tools of ${server.display} are listed: ${truncated}. The count is what was seen.`,
    );
  }
  if (server.isUnencrypted) {
    findings.warn(
      "mcp_insecure_transport",
      `${server.display} is plain http: what tools are asked and answer can be read and changed on the way. Use https where the server offers it.`,
    );
  }
  return { kind: "open", target, server };
}

/** The server asks for credentials only in a JSON-RPC error, where no client looks for a challenge. */
function demandUndeclared(findings: Findings, target: HttpAddress, server: HttpAddress): CredentialsDemand {
  findings.warn(
    "mcp_authentication_undeclared",
    `${server.display} asks for credentials inside a JSON-RPC error instead of answering 401 with a challenge (RFC 9110 §15.5.2). Its operator has to correct that before clients can sign in by themselves; ask which credentials it takes.`,
  );
  return {
    kind: "credentials_required",
    target,
    server,
    status: 401,
    challenges: noChallenges,
    isUndeclared: true,
  };
}

/** Prefers an answer to a failure. */
function chooseMoreInformative(first: RpcOutcome, second: RpcOutcome): RpcOutcome {
  return first.kind === "failed" && second.kind !== "failed" ? second : first;
}

function warnOfRedirect(findings: Findings, target: HttpAddress, server: HttpAddress) {
  if (server.href === target.href) return;
  findings.warn(
    "redirected",
    `${target.display} redirects to ${server.display}, which was examined. Use that address directly.`,
  );
  if (!server.isHttpsVersionOf(target)) return;
  findings.require(
    "https_required",
    "Use the https address",
    `The server is served over https. Save ${server.display} instead of ${target.display}, so that no request leaves in the clear.`,
  );
}
