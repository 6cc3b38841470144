import {
  describeScreen,
  OperatorError,
  readArguments,
  type Screen,
  UsageError,
} from "@signalbox/command-line";
import { createEgress, isLoopbackHost, parseEgressAllow } from "../egress/index.ts";
import { discover } from "../engine/discover.ts";
import { DiscoveryError } from "../engine/options.ts";
import type { DiscoveryResult } from "../engine/result.ts";
import { findUrlProblem } from "../engine/url.ts";
import { showVerdict } from "./verdict.ts";

/** The output of the command, and the settings of its surroundings. */
export interface CommandIo {
  /** How the user starts the command: `signalbox-discover`, or `signalbox discover` of the server. */
  program: string;
  out(line: string): void;
  err(line: string): void;
  /** Called once the arguments are known to be valid. */
  settings(): CommandSettings;
}

export interface CommandSettings {
  /** Hosts and networks that may be reached although they are not public. */
  egressAllow: readonly string[];
  /** The address of the Signalbox that will connect the server. The redirect URI of an OAuth client is at it. */
  publicUrl: string | undefined;
}

const createHelp = (program: string) => `
Usage: ${program} <url> [--json] [--evidence]

Finds out how an MCP server must be connected. It is asked without credentials; nothing is registered,
stored or called. The machine you are on is the one that asks, so servers on it can be examined; other
private addresses need EGRESS_ALLOW.

Options:
  --json       the result as the API gives it
  --evidence   every request, what it taught and the rule that decided

Exit codes: 0 ready, 2 something has to be done by hand, 3 unsupported, 4 unreachable, 1 anything else

Examples:
  ${program} https://mcp.example.com/mcp
  ${program} http://localhost:3000/mcp --evidence
  ${program} https://mcp.example.com/mcp --json | jq .authentication
`;

/** Scripts branch on the verdict's exit code, so invalid usage has a code that no verdict uses. */
const exit = {
  ready: 0,
  failed: 1,
  manual_action_required: 2,
  unsupported: 3,
  unreachable: 4,
} as const satisfies Record<DiscoveryResult["status"] | "failed", number>;

/** Discovers one server, prints the verdict and returns the exit code. */
export async function runDiscoverCommand(
  args: string[],
  io: CommandIo,
  screen: Screen = describeScreen(process.stdout),
): Promise<number> {
  const { program } = io;
  const asked = parseCommandLine(args, program);
  if ("problem" in asked) {
    io.err(`${asked.problem} See \`${program} --help\`.`);
    return exit.failed;
  }
  const { egressAllow, publicUrl } = io.settings();
  const egress = createEgress({ allow: egressAllow, allowLoopback: true });
  const redirectUri = (id: string) => `${publicUrl}/v1/oauth-providers/${id}/connect/callback`;
  try {
    const { result, evidence, closed } = await discover(asked.url, {
      egress,
      ...(publicUrl === undefined ? {} : { redirectUri }),
    });
    if (asked.json) io.out(JSON.stringify(asked.evidence ? { ...result, evidence } : result, null, 2));
    else io.out(showVerdict(result, evidence, { ...screen, program, evidence: asked.evidence }));
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

/** Reads the settings of the program that runs without a server. */
export function readSettings(environment: Readonly<NodeJS.ProcessEnv>): CommandSettings {
  const { EGRESS_ALLOW = "", PUBLIC_URL = "" } = environment;
  const instance = URL.parse(PUBLIC_URL);
  if (PUBLIC_URL !== "" && !/^https?:$/.test(instance?.protocol ?? ""))
    throw new OperatorError(
      "PUBLIC_URL must be the address of a Signalbox, such as https://signalbox.example.com.",
    );
  try {
    return { egressAllow: parseEgressAllow(EGRESS_ALLOW), publicUrl: instance?.origin };
  } catch (error) {
    const reason = (error as Error).message;
    throw new OperatorError(`EGRESS_ALLOW must list hosts and networks, separated by commas. ${reason}`);
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
  program: string,
): { url: string; json: boolean; evidence: boolean } | { problem: string } {
  try {
    const { values, words } = readArguments(args, {
      help: createHelp(program),
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
