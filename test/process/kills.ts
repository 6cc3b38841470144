/** Kills serving processes at random while events and webhooks arrive, and checks what is stored afterwards. */
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort, type RunningServer, serve } from "./kit.ts";
import { createQueuedRuns, findReportingFaults, startReporter } from "./reporting.ts";
import {
  createConnectors,
  describeInstance,
  findHostFaults,
  random,
  startCodeHost,
} from "./webhook-deliveries.ts";

export interface Kills {
  kills: number;
  seed: number;
  /** Called after each kill. */
  onKill?(count: number): void;
}

const processes = 2;
/** The share of kills that hit the primary process, and all others with it. */
const primaryShare = 0.1;
/** A run has many events after some time, so that its check takes long. */
const killsPerRun = 100;

const listChildren = async (pid: number): Promise<number[]> => {
  const { stdout } = await promisify(execFile)("pgrep", ["-P", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter(Boolean).map(Number);
};

async function waitUntilReady(server: RunningServer): Promise<void> {
  for (;;) {
    const reply = await fetch(`${server.url}/ready`).catch(() => undefined);
    await reply?.text();
    if (reply?.status === 200) return;
    await pause(20);
  }
}

/** Returns the problems: what was acknowledged and is lost, and what is stored twice. */
export async function killUnderLoad(databaseUrl: string, { kills, seed, onKill }: Kills): Promise<string[]> {
  const instance = describeInstance(undefined, databaseUrl);
  await createConnectors(instance);
  const next = random(seed);
  const env = { ...instance.env, PORT: await freePort(), PROCESSES: String(processes), LOG_LEVEL: "silent" };
  // Syncs would only fail to connect.
  const start = () => serve(undefined, env, ["--role", "api"]);
  let server = await start();
  let isOver = false;
  const host = startCodeHost(server.url, next, () => !isOver);
  const wrong: string[] = [];
  let acknowledged = 0;

  for (let done = 0; done < kills; ) {
    const { access, runIds } = await createQueuedRunsPatiently(server);
    const reporters = runIds.map((runId) => startReporter(access, runId));
    for (let i = 0; i < killsPerRun && done < kills; i++, done++) {
      await waitUntilReady(server);
      await pause(next() * 500);
      const children = await listChildren(server.pid);
      const victim = children[Math.floor(next() * children.length)];
      if (victim === undefined || next() < primaryShare) {
        await server.end("SIGKILL");
        server = await start();
      } else process.kill(victim, "SIGKILL");
      onKill?.(done + 1);
    }
    await waitUntilReady(server);
    await Promise.all(reporters.map((reporter) => reporter.stop()));
    for (const reporter of reporters) {
      const faults = await findReportingFaults(access, reporter);
      // A busy machine can be away for longer than the lease of a run. What was acknowledged before is checked all the same.
      wrong.push(...faults.filter((fault) => !fault.includes("runner_lease_lost")));
      if (reporter.refusals.withoutRetryAfter > 0) wrong.push("A 503 did not say when to come back.");
      acknowledged += reporter.acknowledged.length;
    }
  }
  isOver = true;
  await host.ended;
  await server.end("SIGTERM");
  console.log(`  ${acknowledged} events and ${host.acknowledged.length} deliveries were acknowledged`);
  return [...wrong, ...(await findHostFaults(instance, host))].slice(0, 20);
}

/** A process may just have been killed. */
async function createQueuedRunsPatiently(server: RunningServer): ReturnType<typeof createQueuedRuns> {
  for (let tries = 1; ; tries++) {
    await waitUntilReady(server);
    try {
      return await createQueuedRuns(server.url, 3);
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}
