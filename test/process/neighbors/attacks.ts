/**
 * Attacks by a hostile organization or by a stranger. Each attack runs until its signal aborts and counts its replies.
 * Its rate is bounded, so that the test measures the service and not the network.
 */
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "./client.ts";
import { create, type Tenant } from "./tenants.ts";
import type { HostileServers } from "./traps.ts";

export interface Attacker {
  client: Client;
  base: string;
  /** The loopback address that this attacker calls from. */
  address: string;
  tenant: Tenant;
  traps: HostileServers;
  signal: AbortSignal;
  /** Counts one reply to an attack. */
  count(attack: string, outcome: string | number): void;
}

type Attack = (attacker: Attacker) => Promise<void>;

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

/** Runs `work` in `atOnce` parallel loops, with a pause of `everyMs` after each run. */
async function repeat(
  { signal }: Attacker,
  { atOnce, everyMs }: { atOnce: number; everyMs: number },
  work: () => Promise<void>,
) {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!signal.aborted) {
        await work().catch(() => {});
        await pause(everyMs, signal);
      }
    }),
  );
}

/** Repeated syncs of small repositories that are expensive to read. */
const hostileRepositories: Attack = async (attacker) => {
  const { client, tenant, traps, count, signal } = attacker;
  const ids: string[] = [];
  for (const [name, cloneUrl] of Object.entries(traps.repositories)) {
    const reply = await client.call("/v1/connectors", {
      headers: tenant.auth,
      body: { name, codehost: "git", repository: `evil/${name}`, cloneUrl, ref: "main", folder: "" },
    });
    count("connector", reply.status);
    if (reply.status === 201) ids.push(reply.body.connector.id);
  }
  while (!signal.aborted) {
    for (const id of ids) {
      const { status } = await client.call(`/v1/connectors/${id}/sync`, {
        method: "POST",
        headers: tenant.auth,
      });
      count("sync", status);
    }
    await pause(1_000, signal);
  }
};

/** Connector tests against a server that never answers. */
const connectorTests: Attack = async (attacker) => {
  const { client, tenant, traps, count } = attacker;
  const { connector } = await create(client, "/v1/connectors", tenant.auth, {
    name: "Silent",
    codehost: "git",
    repository: "evil/silent",
    cloneUrl: `${traps.silentUrl}/silent.git`,
    ref: "main",
    folder: "",
  });
  await repeat(attacker, { atOnce: 4, everyMs: 200 }, async () => {
    const path = `/v1/connectors/${connector.id}/test`;
    count("connector test", (await client.call(path, { method: "POST", headers: tenant.auth })).status);
  });
};

/** Discoveries of servers that never answer and of names that do not exist. */
const slowDiscoveries: Attack = async (attacker) => {
  const { client, tenant, traps, count } = attacker;
  await repeat(attacker, { atOnce: 48, everyMs: 2_000 }, async () => {
    const name = `http://${randomBytes(6).toString("hex")}.slow.test/mcp`;
    const url = Math.random() < 0.5 ? name : `${traps.silentUrl}/mcp`;
    const reply = await client.call("/v1/mcp-connections/discover", {
      headers: tenant.auth,
      body: { url },
    });
    count("discovery", reply.status);
  });
};

/** Searches with many words. The caller leaves after 500 ms and sends the search again. */
const searches: Attack = async (attacker) => {
  const { client, tenant, count } = attacker;
  const filler = Array.from({ length: 2_000 }, (_, i) => `word${i % 97} filler${i}`).join(" ");
  for (let i = 0; i < 40 && !attacker.signal.aborted; i++) {
    const body = { name: `Template ${i}`, body: filler };
    count("template", (await client.call("/v1/templates", { headers: tenant.auth, body })).status);
  }
  await repeat(attacker, { atOnce: 4, everyMs: 100 }, async () => {
    const words = Array.from({ length: Math.random() < 0.5 ? 98 : 8 }, () => "or").join(" ");
    const path = `/v1/templates?q=${encodeURIComponent(words)}`;
    count("search", (await client.call(path, { headers: tenant.auth, timeoutMs: 500 })).status);
  });
};

/** Unsigned chunked webhook bodies that send one byte per second. */
const drippingBodies: Attack = async ({ base, address, signal, count }) => {
  const url = new URL(base);
  const drip = async () => {
    while (!signal.aborted) {
      const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: address });
      socket.on("error", () => {});
      socket.write(
        "POST /v1/webhooks/connectors/codehost HTTP/1.1\r\nhost: localhost\r\n" +
          `x-hub-signature-256: sha256=${"0".repeat(64)}\r\nx-github-event: push\r\n` +
          `x-github-delivery: ${randomBytes(8).toString("hex")}\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      let answered = false;
      socket.once("data", (data) => {
        answered = true;
        count("dripping body", data.toString("latin1", 9, 12));
      });
      while (!signal.aborted && !answered && socket.writable) {
        socket.write("1\r\nx\r\n");
        await pause(1_000, signal);
      }
      socket.destroy();
      await pause(1_000, signal);
    }
  };
  await Promise.all(Array.from({ length: 20 }, drip));
};

/** Large unsigned bodies, and deliveries for connectors that do not exist. */
const unsignedWebhooks: Attack = async (attacker) => {
  const large = "x".repeat(2 * 1024 * 1024);
  const headers = () => ({
    "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
    "x-github-event": "push",
    "x-github-delivery": randomBytes(8).toString("hex"),
  });
  await repeat(attacker, { atOnce: 4, everyMs: 200 }, async () => {
    const query = `?connector=${randomBytes(4_000).toString("hex")}`;
    const path = "/v1/webhooks/connectors/codehost";
    const isLarge = Math.random() < 0.1;
    const reply = await attacker.client.call(isLarge ? path : path + query, {
      headers: headers(),
      body: isLarge ? large : "{}",
    });
    attacker.count("unsigned webhook", reply.status);
  });
};

/** As many streams of one run as the server accepts. */
const manyStreams: Attack = async (attacker) => {
  const { client, tenant, signal, count } = attacker;
  const { automation } = await create(client, "/v1/automations", tenant.auth, {
    name: "Watched",
    instructions: "Wait.",
    schedule: { kind: "manual" },
  });
  const { run } = await create(client, `/v1/automations/${automation.id}/run`, tenant.auth, undefined);
  for (let i = 0; i < 300 && !signal.aborted; i++)
    count("stream", await client.open(`/v1/automation-runs/${run.id}/stream`, tenant.auth));
  await repeat(attacker, { atOnce: 1, everyMs: 500 }, async () =>
    count("stream", await client.open(`/v1/automation-runs/${run.id}/stream`, tenant.auth)),
  );
};

/** Automations that are all due every minute. */
const dueAutomations: Attack = async (attacker) => {
  const body = {
    name: "Busy",
    instructions: "Now.",
    schedule: { kind: "cron", expression: "* * * * *", timezone: "UTC" },
  };
  let made = 0;
  await repeat(attacker, { atOnce: 2, everyMs: 100 }, async () => {
    if (made++ > 1_000) return;
    const { status } = await attacker.client.call("/v1/automations", { headers: attacker.tenant.auth, body });
    attacker.count("automation", status);
  });
};

/** Large requests with a new Idempotency-Key each, so that the server stores many large replies. */
const keptReplies: Attack = async (attacker) => {
  const body = { name: "Large", body: "y".repeat(100_000) };
  await repeat(attacker, { atOnce: 1, everyMs: 250 }, async () => {
    const reply = await attacker.client.call("/v1/templates", {
      headers: { ...attacker.tenant.auth, "idempotency-key": randomBytes(16).toString("hex") },
      body: { ...body, name: `Large ${randomBytes(6).toString("hex")}` },
    });
    attacker.count("kept reply", reply.status);
  });
};

/** Workspaces and sign-ins by strangers. */
const strangers: Attack = async (attacker) => {
  await repeat(attacker, { atOnce: 2, everyMs: 200 }, async () => {
    const { client, count } = attacker;
    const workspace = await client.call("/v1/bootstrap/workspace", { method: "POST", body: {} });
    count("provisional workspace", workspace.status);
    const signIn = await client.call("/api/auth/sign-in/email", {
      body: { email: "nobody@example.com", password: randomBytes(12).toString("hex") },
    });
    count("sign-in", signIn.status);
  });
};

export const attacks: readonly Attack[] = [
  hostileRepositories,
  connectorTests,
  slowDiscoveries,
  searches,
  drippingBodies,
  unsignedWebhooks,
  manyStreams,
  dueAutomations,
  keptReplies,
  strangers,
];
