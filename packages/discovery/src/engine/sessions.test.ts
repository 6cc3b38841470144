import { describe, expect, test } from "vitest";
import { openHandshake, openModern } from "../../../../test/fixtures/mcp-hostile/parts.ts";
import { type Handler, startHostileServer } from "../../../../test/fixtures/mcp-hostile/server.ts";
import { createEgress } from "../egress/index.ts";
import { type DiscoveryOptions, discover as discoverServer } from "../index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });

async function discover(serve: Handler, limits: DiscoveryOptions["limits"] = {}) {
  const server = await startHostileServer(serve);
  const started = performance.now();
  const outcome = await discoverServer(`${server.base}/mcp`, {
    egress,
    redirectUri: (id) => `https://x.example/${id}`,
    limits,
  });
  const ms = performance.now() - started;
  const deleted = () => server.received.filter(({ method }) => method === "DELETE").length;
  return { ...outcome, ms, deleted, close: server.close };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("sessions", () => {
  test("an unneeded session is closed while the newer protocol is examined", async () => {
    const both: Handler = (request, base) =>
      request.rpc === "server/discover" ? openModern(request, base) : openHandshake(request, base);
    const { result, closed, deleted, close } = await discover(both);
    await closed;
    expect(result.server.protocolVersion).toBe("2026-07-28");
    expect(deleted()).toBe(1);
    await close();
  });

  test("a session that opens after the verdict is closed afterwards", async () => {
    const late: Handler = async (request, base) => {
      if (request.rpc !== "initialize")
        return request.method === "DELETE" ? { status: 200 } : openModern(request, base);
      await wait(800);
      return openHandshake(request, base);
    };
    const { ms, closed, deleted, close } = await discover(late);
    expect(ms).toBeLessThan(700);
    expect(deleted()).toBe(0);
    await closed;
    expect(deleted()).toBe(1);
    await close();
  });

  test("a server that never answers DELETE delays the verdict by at most a second", async () => {
    const { ms, result, close } = await discover((request, base) =>
      request.method === "DELETE" ? { raw: () => undefined } : openHandshake(request, base),
    );
    expect(result.status).toBe("ready");
    expect(ms).toBeLessThan(1800);
    await close();
  });

  test("a session is closed when the time limit or the request limit is reached", async () => {
    const hangs: Handler = (request, base) =>
      request.rpc === "tools/list" ? { raw: () => undefined } : openHandshake(request, base);
    const late = await discover(hangs, { deadlineMs: 500 });
    await late.closed;
    expect(late.result.warnings.map(({ code }) => code)).toContain("tools_unavailable");
    expect(late.deleted()).toBe(1);
    await late.close();
    const spent = await discover(openHandshake, { requests: 2 });
    await spent.closed;
    expect(spent.result.warnings.map(({ code }) => code)).toContain("discovery_incomplete");
    expect(spent.deleted()).toBe(1);
    await spent.close();
  });

  test("each session of a server that opens a new one with every reply is closed, up to a limit", async () => {
    let given = 0;
    const { closed, deleted, close } = await discover(async (request, base) => {
      const reply = await openHandshake(request, base);
      given += 1;
      return { ...reply, headers: { "mcp-session-id": `s-${given}` } };
    });
    await closed;
    expect(deleted()).toBeGreaterThanOrEqual(3);
    expect(deleted()).toBeLessThanOrEqual(20);
    await close();
  });

  test.each([
    ["with a space and marks", 'a b;"{}"'],
    ["of four thousand characters", "x".repeat(4000)],
  ])("an id %s is sent back unchanged, and its session is closed", async (_, id) => {
    const { closed, deleted, result, close } = await discover(async (request, base) => {
      if (request.rpc === "initialize") {
        return { ...(await openHandshake(request, base)), headers: { "mcp-session-id": id } };
      }
      if (request.rpc !== "server/discover" && request.headers["mcp-session-id"] !== id)
        return { status: 400 };
      return openHandshake(request, base);
    });
    await closed;
    expect(result.status).toBe("ready");
    expect(deleted()).toBe(1);
    await close();
  });

  test("an id outside ASCII is not sent", async () => {
    const { closed, deleted, result, close } = await discover(async (request, base) => {
      const reply = await openHandshake(request, base);
      return request.rpc === "initialize" ? { ...reply, headers: { "mcp-session-id": "s\u00e9" } } : reply;
    });
    await closed;
    expect(result.status).toBe("ready");
    expect(deleted()).toBe(0);
    await close();
  });

  test("a session is closed with the revision that opened it, also when the newer protocol is examined", async () => {
    const strict: Handler = (request, base) => {
      if (request.method !== "DELETE")
        return request.rpc === "initialize" ? openHandshake(request, base) : openModern(request, base);
      return { status: request.headers["mcp-protocol-version"] === "2025-06-18" ? 200 : 400 };
    };
    const { result, evidence, closed, deleted, close } = await discover(strict);
    await closed;
    expect(result.server.protocolVersion).toBe("2026-07-28");
    expect(deleted()).toBe(1);
    expect(evidence.find(({ step }) => step === "close_session")).toMatchObject({ status: 200 });
    await close();
  });
});
