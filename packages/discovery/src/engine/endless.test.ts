import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { result as answerWith, openHandshake } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import {
  type Received,
  type Reply,
  startHostileServer,
} from "../../../../test/fixtures/mcp-hostile/server.ts";
import { drip, flood } from "../../../../test/fixtures/mcp-servers/scripted.ts";
import { createEgress } from "../egress/index.ts";
import { type DiscoveryOptions, discover as discoverServer } from "../index.ts";
import { defaultLimits } from "./options.ts";

/** Servers whose reply to `tools/list` does not end. */
const egress = createEgress({ allow: [], allowLoopback: true });

type Write = (response: ServerResponse) => void;

async function start(answer: (request: Received, stream: (type: string) => Reply) => Reply, write: Write) {
  const open = new Set<ServerResponse>();
  const stream = (type: string): Reply => ({
    raw(response) {
      open.add(response);
      response.on("close", () => open.delete(response));
      write(response.writeHead(200, { "content-type": type }));
    },
  });
  const server = await startHostileServer((request, base) =>
    request.rpc === "tools/list" ? answer(request, stream) : openHandshake(request, base),
  );
  const discover = (options: DiscoveryOptions = {}) =>
    discoverServer(`${server.base}/mcp`, {
      egress,
      redirectUri: (id) => `https://x.example/${id}`,
      ...options,
    });
  return { server, open, discover };
}

const events = "text/event-stream";
const json = "application/json";
const notification = `data: ${JSON.stringify({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "x".repeat(2_000) },
})}\n\n`;
const ping = `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n\n`;

describe("a list of tools without end", () => {
  test.each<[string, string, Write]>([
    ["of notifications", events, (response) => flood(response, notification)],
    ["of requests", events, (response) => flood(response, ping.repeat(1_000))],
    ["of one event", events, (response) => flood(response, "data: x".repeat(1_000))],
    ["of white space", json, (response) => flood(response, " ".repeat(16_384))],
    ["of one byte at a time", json, (response) => drip(response)],
    ["of one byte of an event at a time", events, (response) => drip(response)],
  ])("%s: the verdict comes, and no connection stays open", async (_, type, write) => {
    const { server, open, discover } = await start((_request, stream) => stream(type), write);
    const { result, closed } = await discover({ limits: { deadlineMs: 2_000 } });
    await closed;
    expect(result.server.initialize).toBe("succeeded");
    expect(result.tools).not.toHaveProperty("items");
    await expect.poll(() => open.size).toBe(0);
    // Nothing is answered to a server.
    expect(server.received.length).toBeLessThanOrEqual(defaultLimits.requests);
    await server.close();
  });

  test("of a million small tools is cut off, and says so", async () => {
    const tools = Array(1_000_000).fill({ name: "a", inputSchema: { type: "object" } });
    const { server, discover } = await start((request) => answerWith(request, { tools }), drip);
    const { result } = await discover();
    expect(result.tools).toMatchObject({ visibility: "available_without_auth" });
    expect(result.tools.items?.length).toBe(defaultLimits.tools);
    expect(result.warnings.map(({ code }) => code)).toContain("tools_truncated");
    await server.close();
  });

  test("that its caller gives up ends at the server", async () => {
    const abort = new AbortController();
    const { server, open, discover } = await start(
      (_request, stream) => stream(json),
      (response) => {
        drip(response);
        setTimeout(() => abort.abort(), 100);
      },
    );
    const { result, closed } = await discover({ signal: abort.signal, limits: { deadlineMs: 60_000 } });
    await expect.poll(() => open.size).toBe(0);
    await closed;
    expect(result.warnings.map(({ code }) => code)).toEqual(["discovery_incomplete", "tools_unavailable"]);
    expect(server.received.filter(({ rpc }) => rpc === "tools/list")).toHaveLength(1);
    expect(server.received.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    await server.close();
  });
});
