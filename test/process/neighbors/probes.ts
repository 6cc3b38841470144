/** The calls of the innocent tenant, and how long each of them takes. */
import { setTimeout as pause } from "node:timers/promises";
import { commit, pushBody, signedHeaders } from "../../webhooks.ts";
import type { Client } from "./client.ts";
import { create, type Tenant } from "./tenants.ts";

export type Kind = "report" | "hook" | "discovery" | "page";
export const kinds: readonly Kind[] = ["report", "hook", "discovery", "page"];

export interface Sample {
  kind: Kind;
  ms: number;
  status: number;
}

export interface Probes {
  /** Makes one call after the other until the time is over. */
  sample(seconds: number): Promise<Sample[]>;
  close(): void;
}

const repository = "acme/handbook";

/** `mcpUrl` is an MCP server that answers at once; nothing listens at `cloneUrl`. */
export async function createProbes(
  client: Client,
  { auth }: Tenant,
  { mcpUrl, cloneUrl }: { mcpUrl: string; cloneUrl: string },
): Promise<Probes> {
  const { automation } = await create(client, "/v1/automations", auth, {
    name: "Triage",
    instructions: "Look at new issues.",
    schedule: { kind: "manual" },
  });
  const { run } = await create(client, `/v1/automations/${automation.id}/run`, auth, undefined);
  await create(client, `/v1/automation-runs/${run.id}/claim`, auth, undefined);
  const { connector, webhookSecret } = await create(client, "/v1/connectors", auth, {
    name: "Handbook",
    codehost: "github",
    repository,
    cloneUrl,
    ref: "main",
    folder: "templates",
  });
  let sequence = 0;

  const calls: Record<Kind, () => Promise<number>> = {
    async report() {
      const event = { type: "assistant", payload: { text: "Working." }, createdAt: Date.now() };
      const body = { attempt: 1, sequence: ++sequence, ...event };
      return (await client.call(`/v1/automation-runs/${run.id}/events`, { headers: auth, body })).status;
    },
    async hook() {
      const body = pushBody({ repository }, commit(), { bytes: 8_192 });
      const path = `/v1/webhooks/connectors/codehost?connector=${connector.id}`;
      return (await client.call(path, { headers: signedHeaders.github(webhookSecret, body), body })).status;
    },
    discovery: async () =>
      (await client.call("/v1/mcp-connections/discover", { headers: auth, body: { url: mcpUrl } })).status,
    page: async () => (await client.call("/v1/automation-runs?limit=20", { headers: auth })).status,
  };

  // The lease lasts a minute. Starting the attackers and measuring can take longer on a busy machine.
  const renewal = setInterval(() => {
    const body = { attempt: 1 };
    client.call(`/v1/automation-runs/${run.id}/heartbeat`, { headers: auth, body }).catch(() => {});
  }, 10_000);

  return {
    close: () => clearInterval(renewal),
    async sample(seconds) {
      const samples: Sample[] = [];
      const until = performance.now() + seconds * 1_000;
      for (let turn = 0; performance.now() < until; turn++) {
        const kind = kinds[turn % kinds.length]!;
        const started = performance.now();
        const status = await calls[kind]();
        samples.push({ kind, ms: performance.now() - started, status });
        await pause(10);
      }
      return samples;
    },
  };
}

export const isGood = ({ kind, status }: Sample) => status === (kind === "hook" ? 202 : 200);

/** The value below which that share of the samples lies. */
export function quantile(samples: readonly Sample[], kind: Kind, share: number): number {
  const sorted = samples
    .filter((sample) => sample.kind === kind)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
