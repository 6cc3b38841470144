import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createApp, jobs } from "../src/app.ts";
import { callTool } from "../src/features/mcp-connections/index.ts";
import { readConfig } from "../src/platform/config.ts";
import { sql } from "../src/platform/db/index.ts";
import { newId } from "../src/platform/ids.ts";
import { createLog } from "../src/platform/log.ts";
import { openPlatform } from "../src/platform/open.ts";
import { connectMcpServer } from "../test/mcp-calls.ts";
import {
  type Bench,
  type BenchOptions,
  compare,
  type EngineKind,
  type Figure,
  interleave,
  listEngines,
  measureCalls,
  startChild,
  summarize,
  withInstance,
} from "./measure.ts";

/** What a call through us costs beside a direct call with the official client, with both kinds of policies. */
export const mcpCalls: Bench = async (options) => {
  const figures: Figure[] = [];
  for (const engine of await listEngines(options.logProgress))
    for (const era of ["sessions", "modern"]) figures.push(...(await measureEra(engine, era, options)));
  return figures;
};

const atOnce = 16;
const args = { text: "hello" };
const noLimits = { callsPerMinute: 100_000, concurrency: 1_000 };

async function measureEra(
  engine: EngineKind,
  era: string,
  { rounds, seconds, logProgress }: BenchOptions,
): Promise<Figure[]> {
  logProgress(`calls of tools on ${engine}, server with ${era}`);
  return withInstance(engine, async (place) => {
    const upstream = await startChild("bench/peers/mcp-server.ts", { ...place, args: [era] });
    const config = readConfig(place.env);
    const platform = await openPlatform(config, {
      ...{ publicUrl: "http://127.0.0.1", jobs, works: false, log: createLog("silent") },
    });
    const app = createApp(platform);
    const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(upstream.url)));
      const workspace = await seedWorkspace(platform);
      const open = (onDrift: "warn" | "hold_changed") =>
        connectMcpServer({ platform }, workspace, upstream.url, { policy: { onDrift }, limits: noLimits });
      const [warn, hold] = [await open("warn"), await open("hold_changed")];
      const { signal } = new AbortController();
      const latencies: Record<string, number[]> = { direct: [], warn: [], hold: [] };
      const timed = (name: string, call: () => Promise<unknown>) => async () => {
        const started = performance.now();
        await call();
        latencies[name]!.push(performance.now() - started);
      };
      const through =
        ({ ctx, connection }: typeof warn) =>
        () =>
          callTool(ctx, connection, "echo", args, { signal });
      const measure = (name: string, call: () => Promise<unknown>) => () =>
        measureCalls(seconds, atOnce, timed(name, call));
      const turns = await interleave(rounds, {
        direct: measure("direct", () => client.callTool({ name: "echo", arguments: args })),
        warn: measure("warn", through(warn)),
        hold: measure("hold", through(hold)),
      });
      const named = (name: string) => `${engine}, ${era}: ${name}`;
      return [
        ...summarize(named("direct call"), turns.direct, "calls/s"),
        ...summarize(named("call through callTool"), turns.warn, "calls/s"),
        ...summarize(named("call with a listing before"), turns.hold, "calls/s"),
        ...Object.entries(latencies).flatMap(([name, values]) => listPercentiles(named(name), values)),
        ...compare(named("callTool beside direct"), turns.warn, turns.direct),
        ...compare(named("callTool with a listing beside direct"), turns.hold, turns.direct),
      ];
    } finally {
      await client.close();
      await app.close();
      await platform.close(1_000);
      await upstream.stop();
    }
  });
}

function listPercentiles(name: string, values: number[]): Figure[] {
  values.sort((a, b) => a - b);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
  return [
    { name: `${name}, p50 with ${atOnce} at once`, value: at(0.5), unit: "ms" },
    { name: `${name}, p99 with ${atOnce} at once`, value: at(0.99), unit: "ms" },
  ];
}

async function seedWorkspace({ db }: Pick<Awaited<ReturnType<typeof openPlatform>>, "db">) {
  const [orgId, userId] = [newId("org"), newId("usr")];
  await db.run(sql`insert into organizations (id, name, slug) values (${orgId}, 'Bench', ${orgId})`);
  await db.run(sql`insert into users (id, email, name) values (${userId}, 'bench@example.com', 'Bench')`);
  await db.run(sql`
    insert into members (id, org_id, user_id, role) values (${newId("mem")}, ${orgId}, ${userId}, 'owner')`);
  return { orgId, owner: { userId } };
}
