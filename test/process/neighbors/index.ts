/** Measures how long the calls of an innocent tenant take alone, and while two hostile tenants attack. */
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startModernServer } from "../../fixtures/mcp-servers/official.ts";
import { type Env, freePort, serve } from "../kit.ts";
import { createClient } from "./client.ts";
import { createProbes, isGood, type Kind, kinds, type Probes, quantile, type Sample } from "./probes.ts";
import { createTenant } from "./tenants.ts";

export interface Outcome {
  /** Milliseconds alone and under attack, by kind of call. */
  figures: Record<Kind, { alone: number; attacked: number; aloneP95: number; attackedP95: number }>;
  /** Calls of the innocent tenant that did not succeed. */
  failures: Sample[];
  /** Replies to the attackers, by attack and status. */
  answers: Record<string, Record<string, number>>;
  serverLived: boolean;
}

export async function runNeighbors(
  { dataDir, databaseUrl }: { dataDir?: string; databaseUrl?: string },
  { seconds }: { seconds: number },
): Promise<Outcome> {
  const env: Env = {
    LOG_LEVEL: "error",
    ...(databaseUrl
      ? { DATABASE_URL: databaseUrl, SIGNALBOX_SECRET: "a secret for the tests, long enough" }
      : {}),
  };
  const server = await serve(dataDir, env);
  let lived = true;
  void server.ended.then(() => {
    lived = false;
  });
  const mcp = await startModernServer("stateless");
  const client = createClient(server.url);
  let probes: Probes | undefined;
  try {
    probes = await createProbes(client, await createTenant(client, "Innocent"), {
      mcpUrl: `${mcp.base}/mcp`,
      cloneUrl: `http://127.0.0.1:${await freePort()}/nothing.git`,
    });
    const attackers = await startAttackers(server.url);
    await probes.sample(2);
    const alone = await probes.sample(seconds);
    attackers.begin();
    await pause(3_000);
    const attacked = await probes.sample(seconds);
    const serverLived = lived;
    const answers = await attackers.end();
    const figures = Object.fromEntries(
      kinds.map((kind) => [
        kind,
        {
          alone: quantile(alone, kind, 0.5),
          attacked: quantile(attacked, kind, 0.5),
          aloneP95: quantile(alone, kind, 0.95),
          attackedP95: quantile(attacked, kind, 0.95),
        },
      ]),
    ) as Outcome["figures"];
    return {
      figures,
      failures: [...alone, ...attacked].filter((sample) => !isGood(sample)),
      answers,
      serverLived,
    };
  } finally {
    probes?.close();
    client.close();
    await mcp.close();
    await server.end("SIGTERM");
  }
}

async function startAttackers(base: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "attacker.ts"), base], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  // Real attackers use their own machines, so here they must not take processor time from the measured server.
  setPriority(child.pid!, constants.priority.PRIORITY_LOW);
  let output = "";
  const ended = new Promise((resolve) => child.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("ready")) resolve();
    });
    ended.then(() => reject(new Error("The attackers ended before they began.")));
  });
  return {
    begin: () => void child.stdin.write("begin\n"),
    async end(): Promise<Outcome["answers"]> {
      child.stdin.end();
      await ended;
      return JSON.parse(output.slice(output.indexOf("{")));
    },
  };
}
