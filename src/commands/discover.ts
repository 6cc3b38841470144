import {
  DiscoveryError,
  type DiscoveryResult,
  discoverRequirements,
  findUrlProblem,
} from "../features/mcp-connections/index.ts";
import { createEgress, isLoopbackHost } from "../platform/egress/index.ts";
import { readArguments, UsageError } from "./arguments.ts";
import { showVerdict } from "./discover/verdict.ts";
import type { Io } from "./io.ts";
import { describeScreen, type Screen } from "./text.ts";

const help = `
Usage: signalbox discover <url> [--json] [--evidence]

Finds out how an MCP server must be connected. It is asked without credentials; nothing is registered,
stored or called. The machine you are on is the one that asks, so servers on it can be examined; other
private addresses need EGRESS_ALLOW.

Options:
  --json       the result as the API gives it
  --evidence   every request, what it taught and the rule that decided

Exit codes: 0 ready, 2 something has to be done by hand, 3 unsupported, 4 unreachable, 1 anything else

Examples:
  signalbox discover https://mcp.example.com/mcp
  signalbox discover http://localhost:3000/mcp --evidence
  signalbox discover https://mcp.example.com/mcp --json | jq .authentication
`;

/** Scripts branch on the verdict's exit code, so invalid usage has a code that no verdict uses. */
const exit = {
  ready: 0,
  failed: 1,
  manual_action_required: 2,
  unsupported: 3,
  unreachable: 4,
} as const satisfies Record<DiscoveryResult["status"] | "failed", number>;

export async function discover(
  args: string[],
  io: Io,
  screen: Screen = describeScreen(process.stdout),
): Promise<number> {
  const asked = parseCommandLine(args);
  if ("problem" in asked) {
    io.err(`${asked.problem} See \`signalbox discover --help\`.`);
    return exit.failed;
  }
  const { egressAllow, publicUrl, host, port } = io.config();
  const here = (publicUrl ?? `http://${host}:${port || 8787}`).replace(/\/$/, "");
  const egress = createEgress({ allow: egressAllow, allowLoopback: true });
  try {
    const { result, evidence, closed } = await discoverRequirements(asked.url, {
      egress,
      redirectUri: (id) => `${here}/v1/oauth-providers/${id}/connect/callback`,
    });
    if (asked.json) io.out(JSON.stringify(asked.evidence ? { ...result, evidence } : result, null, 2));
    else io.out(showVerdict(result, evidence, { ...screen, evidence: asked.evidence }));
    await closed;
    return exit[result.status];
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    io.err(error.message);
    return exit.failed;
  } finally {
    await egress.close();
  }
}

/** Adds a missing scheme: http for this machine, whose servers rarely have a certificate, and https otherwise. */
function suggestAddress(text: string): string | undefined {
  if (!/^(?:localhost|\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?(?:[/?]|$)/i.test(text))
    return;
  const host = URL.parse(`http://${text}`)?.hostname;
  const whole = `${host !== undefined && isLoopbackHost(host) ? "http" : "https"}://${text}`;
  return findUrlProblem(whole) === undefined ? whole : undefined;
}

function parseCommandLine(
  args: string[],
): { url: string; json: boolean; evidence: boolean } | { problem: string } {
  try {
    const { values, words } = readArguments(args, {
      help,
      options: { json: { type: "boolean", default: false }, evidence: { type: "boolean", default: false } },
      words: 1,
    });
    const [url] = words;
    if (url === undefined) return { problem: "Name the URL of the server." };
    const problem = url.length > 2048 ? "The URL is longer than 2048 characters." : findUrlProblem(url);
    const suggestion = problem && suggestAddress(url);
    if (suggestion) return { problem: `${problem} Did you mean ${suggestion}?` };
    return problem ? { problem } : { url, json: values.json, evidence: values.evidence };
  } catch (error) {
    if (error instanceof UsageError) return { problem: error.message };
    throw error;
  }
}
