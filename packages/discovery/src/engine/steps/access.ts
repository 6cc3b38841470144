import type { HttpAddress } from "../address.ts";
import type { Findings } from "../findings.ts";
import type { DiscoveryStatus } from "../result.ts";
import type { DiscoveryState } from "../state.ts";
import { type Challenges, noChallenges } from "../transport/challenge.ts";
import type { RpcOutcome } from "../transport/outcomes.ts";
import { isOpenServer, type Opening } from "./probe.ts";
import { explainRefusal } from "./refusal.ts";
import type { ToolList } from "./tools.ts";

export interface CredentialsDemand {
  kind: "credentials_required";
  /** The address that answered, after redirects. */
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
  | { kind: "open"; server: HttpAddress }
  /** The verdict is already known, and there is nothing more to look up. */
  | { kind: "settled"; authentication: "none" | "unknown"; status: DiscoveryStatus };

/** Step 3: decides from the answers so far whether the server requires credentials. */
export function assessAccess(
  { findings, target }: DiscoveryState,
  opening: Opening,
  tools: ToolList,
): Access {
  if (opening.era === "legacy_sse") {
    const foreign = " Its endpoint event names another origin, which no client may follow.";
    findings.warn(
      "legacy_sse_transport",
      `${opening.server.display} speaks the HTTP+SSE transport of 2024-11-05, which was replaced in 2025 and cannot be connected here. Ask its operator for a Streamable HTTP endpoint; many servers have one beside it, at /mcp.${opening.endpointIsForeign ? foreign : ""}`,
    );
    return { kind: "settled", authentication: "none", status: "unsupported" };
  }
  const server = findServer(opening);
  const demand = findDemand(opening, server, tools);
  const refusal = demand ? undefined : findRefusal(opening, tools);
  if (opening.era !== "none") warnOfRedirect(findings, target, server);
  if (demand?.isUndeclared) {
    findings.warn(
      "mcp_authentication_undeclared",
      `${server.display} asks for credentials inside a JSON-RPC error instead of answering 401 with a challenge (RFC 9110 §15.5.2). Its operator has to correct that before clients can sign in by themselves; ask which credentials it takes.`,
    );
  }
  if (demand) return demand;
  if (refusal) {
    const status = explainRefusal(findings, refusal, target);
    if (opening.era !== "none") {
      findings.warn(
        "tools_unavailable",
        `${server.display} let us in without credentials, but its tools could not be listed. Whether they need credentials is therefore not known.`,
      );
    }
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
  return { kind: "open", server };
}

type Answered = Exclude<Opening, { era: "legacy_sse" }>;

/** Returns the address that answered the openings, after redirects. */
function findServer(opening: Answered): HttpAddress {
  if (isOpenServer(opening)) return opening.server;
  return opening.era === "none" ? chooseMoreInformative(opening).address : opening.outcome.address;
}

/** Returns the credentials that the server asks for, in an opening or when its tools are listed. */
function findDemand(opening: Answered, server: HttpAddress, tools: ToolList): CredentialsDemand | undefined {
  const kind = "credentials_required";
  const declared = opening.era === kind ? opening.outcome : tools.kind === kind ? tools.outcome : undefined;
  if (declared) {
    const { status, challenges } = declared;
    return { kind, server, status, challenges, isUndeclared: false };
  }
  // Some servers ask for credentials only in a JSON-RPC error, where no client looks for a challenge.
  const outcome = opening.era === "none" ? chooseMoreInformative(opening) : undefined;
  const isUndeclared =
    tools.kind === "undeclared_credentials" || (outcome?.kind === "error" && outcome.asksForCredentials);
  if (!isUndeclared) return undefined;
  return { kind, server, status: 401, challenges: noChallenges, isUndeclared };
}

/** Returns the answer that ended the discovery, if one did. */
function findRefusal(opening: Answered, tools: ToolList): RpcOutcome | undefined {
  if (opening.era === "none") return chooseMoreInformative(opening);
  return tools.kind === "failed" ? tools.outcome : undefined;
}

/** Prefers an answer to a failure. */
function chooseMoreInformative({ initialize, discover }: Extract<Opening, { era: "none" }>): RpcOutcome {
  return initialize.kind === "failed" && discover.kind !== "failed" ? discover : initialize;
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
