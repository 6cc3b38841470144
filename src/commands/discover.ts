import { parseArgs } from "node:util";
import { type Discovery, discoverRequirements, problemWithUrl } from "../features/mcp-connections/index.ts";
import { createEgress, parseEgressAllow } from "../platform/egress/index.ts";
import { showVerdict } from "./discover/verdict.ts";

/** What a command needs of the process it runs in. */
export interface Io {
  stdout: { write(text: string): unknown; isTTY?: boolean; columns?: number };
  stderr: { write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
}

const USAGE = `Usage: signalbox discover <url> [--json] [--evidence]

Finds out how an MCP server must be connected. Asks the server without credentials; nothing is registered,
stored or called. The machine you are on is the one that asks, so servers on loopback can be examined;
other private addresses need EGRESS_ALLOW.

  --json       the result as the API gives it
  --evidence   every request, what it taught and the rule that decided
  --help       this text

Exit code: 0 ready · 2 something has to be done by hand · 3 unsupported · 4 unreachable · 1 wrong usage or a fault
`;

const EXIT: Record<Discovery["status"], number> = {
  ready: 0,
  manual_action_required: 2,
  unsupported: 3,
  unreachable: 4,
};

export async function discover(args: readonly string[], io: Io): Promise<number> {
  const asked = readArguments(args);
  if ("problem" in asked) {
    io.stderr.write(`${asked.problem}\n\n${USAGE}`);
    return 1;
  }
  if (asked.help) {
    io.stdout.write(USAGE);
    return 0;
  }
  let egress: ReturnType<typeof createEgress>;
  try {
    egress = createEgress({ allow: parseEgressAllow(io.env.EGRESS_ALLOW ?? ""), allowLoopback: true });
  } catch (error) {
    io.stderr.write(`EGRESS_ALLOW: ${(error as Error).message}\n`);
    return 1;
  }
  const publicUrl = (io.env.PUBLIC_URL ?? "http://127.0.0.1:8787").replace(/\/$/, "");
  try {
    const { result, evidence, closed } = await discoverRequirements({
      url: asked.url,
      egress,
      redirectUri: (id) => `${publicUrl}/v1/oauth-providers/${id}/connect/callback`,
    });
    if (asked.json) {
      io.stdout.write(`${JSON.stringify(asked.evidence ? { ...result, evidence } : result, null, 2)}\n`);
    } else {
      io.stdout.write(showVerdict(result, evidence, { ...style(io), evidence: asked.evidence }));
    }
    await closed;
    return EXIT[result.status];
  } catch (error) {
    io.stderr.write(`Discovery failed: ${error instanceof Error ? error.message : "an unknown fault"}\n`);
    return 1;
  } finally {
    await egress.close();
  }
}

type Asked = { url: string; json: boolean; evidence: boolean; help: boolean };

function readArguments(args: readonly string[]): Asked | { problem: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        evidence: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const [url = "", ...others] = positionals;
    const asked = { url, json: values.json, evidence: values.evidence, help: values.help };
    if (values.help) return asked;
    if (url === "" || others.length > 0) return { problem: "Name one URL." };
    const problem = url.length > 2048 ? "The URL is longer than 2048 characters." : problemWithUrl(url);
    return problem ? { problem } : asked;
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Colours for a person at a terminal, unless they said otherwise (no-color.org). */
function style({ stdout, env }: Io): { colour: boolean; width: number } {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0";
  const refused = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return {
    colour: forced || (stdout.isTTY === true && !refused),
    width: Math.min(Math.max(stdout.columns ?? 100, 60), 110),
  };
}
