import type { DiscoveryResult } from "../engine/result.ts";

/** Returns the one next step for the person at the terminal, who started `program`. */
export function chooseNextAction(
  result: DiscoveryResult,
  program: string,
): { action: string; command?: string } {
  const [first] = result.manualRequirements;
  const entry =
    first?.code === "network_trust" ? /add (\S+) to EGRESS_ALLOW/.exec(first.reason)?.[1] : undefined;
  if (result.status !== "unreachable" || entry === undefined) return { action: describeAction(result) };
  // The person at the terminal decides what this machine may call, so the advice is a complete command.
  return {
    action: "if you trust that address, run",
    command: `EGRESS_ALLOW=${entry} ${program} ${quoteForShell(result.server.url)}`,
  };
}

function describeAction({ status, authentication, manualRequirements, warnings }: DiscoveryResult): string {
  const [first, ...more] = manualRequirements;
  if (first && more.length > 0) return `the ${manualRequirements.length} steps above, in this order.`;
  if (first)
    return `${first.label}, as described above${codesToRunAgain.has(first.code) ? ", then run this again" : ""}.`;
  if (status === "ready") {
    return authentication.kind === "oauth"
      ? "connect it; people sign in with their own accounts."
      : "connect it.";
  }
  return (
    warnings.map(({ code }) => actionsByWarning[code]).find((way) => way !== undefined) ?? reportToOperator
  );
}

/** Steps that change the result of the next discovery. */
const codesToRunAgain = new Set(["network_trust", "https_required", "server_url_correction"]);

const reportToOperator =
  "send what is written above to the server's operator; --evidence adds every request.";
const tryLater = "wait a little, then run this again.";
const checkAddress = "look up the address in the server's documentation, then run this again with it.";

const actionsByWarning: Record<string, string> = {
  mcp_unreachable: "check the address, and that the server is up; then run this again.",
  discovery_incomplete: tryLater,
  mcp_protocol_error: checkAddress,
  legacy_sse_transport:
    "run this again with the server's Streamable HTTP endpoint, often /mcp instead of /sse.",
  redirected: "run this again with the address it redirects to, if you trust that host.",
  mcp_version_unsupported: "update Signalbox, then run this again.",
  mcp_http_404: checkAddress,
  mcp_http_405: checkAddress,
  ...Object.fromEntries([408, 425, 429, 502, 503, 504].map((status) => [`mcp_http_${status}`, tryLater])),
};

/** Quotes a URL so that a shell reads it as one word. */
function quoteForShell(url: string): string {
  return /^[\w\-.~:/%]+$/.test(url) ? url : `'${url.replaceAll("'", "%27")}'`;
}
