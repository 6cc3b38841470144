import { createEgress } from "@signalbox/discovery/egress";
import { afterEach, describe, expect, test } from "vitest";
import {
  type CallableServer,
  startCallableModernServer,
  startCallableSessionServer,
} from "../../../../test/fixtures/mcp-servers/callable.ts";
import { createUpstreamPlatform } from "../../../../test/mcp-upstream.ts";
import { newId } from "../../../platform/ids.ts";
import { callUpstream, listUpstreamTools, sessionPool, UpstreamError, type UpstreamTarget } from "./index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const limits = { timeoutMs: 10_000, maxResultBytes: 4 * 1024 * 1024 };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(starting: Promise<CallableServer>) {
  const server = await starting;
  closing.push(server.close);
  const platform = createUpstreamPlatform(egress);
  closing.push(() => platform.state.stop());
  const target: UpstreamTarget = {
    id: newId("mcn"),
    orgId: newId("org"),
    url: server.url,
    protocolVersion: null,
  };
  return { server, platform, target };
}

const servers: [string, string, () => Promise<CallableServer>][] = [
  ["with sessions", "2025-11-25", () => startCallableSessionServer()],
  ["with sessions and JSON replies", "2025-11-25", () => startCallableSessionServer({ json: true })],
  ["of the newest revision", "2026-07-28", () => startCallableModernServer()],
];

describe.each(servers)("an official server %s", (_, version, starting) => {
  test("lists its tools and answers calls, and a warm call is one request", async () => {
    const { server, platform, target } = await start(starting());
    const listing = await listUpstreamTools(platform, target, {});
    expect(listing.protocolVersion).toBe(version);
    expect(listing.instructions).toBe("Be kind.");
    expect(listing.tools.map(({ name }) => name)).toContain("echo");
    const call = { ...limits, tool: "echo", args: { text: "hello" }, checkListing: async () => {} };
    const first = await callUpstream(platform, target, {}, call);
    expect(first.result.content).toEqual([{ type: "text", text: "hello" }]);
    const before = server.seen.messages.length;
    await callUpstream(platform, target, {}, call);
    expect(server.seen.messages.slice(before)).toEqual(["tools/list", "tools/call"]);
  });

  test("may take its time for every message", async () => {
    const { server, platform, target } = await start(starting());
    server.gate.delayMs = 600;
    const call = { ...limits, tool: "echo", args: { text: "slow" }, checkListing: async () => {} };
    expect((await callUpstream(platform, target, {}, call)).result.content).toEqual([
      { type: "text", text: "slow" },
    ]);
  });

  test("sends the credential of the request, and its error is a result", async () => {
    const { server, platform, target } = await start(starting());
    const { result } = await callUpstream(
      platform,
      target,
      { authorization: "Bearer secret-of-upstream" },
      { ...limits, tool: "fail", args: {} },
    );
    expect(result.isError).toBe(true);
    expect(new Set(server.seen.authorizations)).toEqual(new Set(["Bearer secret-of-upstream"]));
  });

  test("is told when a call is cancelled", async () => {
    const { server, platform, target } = await start(starting());
    const abort = new AbortController();
    const progress: unknown[] = [];
    const call = callUpstream(
      platform,
      target,
      {},
      {
        ...limits,
        tool: "slow",
        args: { ms: 60_000 },
        signal: abort.signal,
        onProgress: (one) => {
          progress.push(one);
          abort.abort();
        },
      },
    );
    if (version === "2025-11-25" && server.seen && _.includes("JSON")) setTimeout(() => abort.abort(), 300);
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await expect.poll(() => server.seen.cancelled).toEqual(["slow"]);
  });

  test("a refused credential is a challenge", async () => {
    const { server, platform, target } = await start(starting());
    server.gate.answer = () => ({
      status: 401,
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
    await expect(listUpstreamTools(platform, target, {})).rejects.toMatchObject({
      kind: "challenge",
      challenge: { status: 401, scopes: [], reason: "invalid_token" },
    });
    server.gate.answer = (_request, body) =>
      body.includes("tools/call")
        ? { status: 403, headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="a b"' } }
        : undefined;
    await expect(
      callUpstream(platform, target, {}, { ...limits, tool: "echo", args: { text: "x" } }),
    ).rejects.toMatchObject({ kind: "challenge", challenge: { status: 403, scopes: ["a", "b"] } });
    server.gate.answer = undefined;
  });

  test("what was sent as a credential never comes back", async () => {
    const { platform, target } = await start(starting());
    const { result } = await callUpstream(
      platform,
      target,
      { authorization: "Bearer secret-of-upstream", "x-api-key": 'quoted"key"123' },
      { ...limits, tool: "echo", args: { text: 'my secret-of-upstream and quoted"key"123!' } },
    );
    expect(result.content).toEqual([{ type: "text", text: "my [redacted] and [redacted]!" }]);
  });
});

test("an older server receives the progress of a call, log messages and elicitation", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  const seen: unknown[] = [];
  await callUpstream(
    platform,
    target,
    {},
    {
      ...limits,
      tool: "slow",
      args: { ms: 10 },
      onProgress: (progress) => void seen.push(progress),
      onLog: ({ data }) => void seen.push(data),
    },
  );
  expect(seen).toEqual([{ progress: 1, total: 2 }, "working"]);
  const asked = await callUpstream(
    platform,
    target,
    {},
    {
      ...limits,
      tool: "ask",
      args: {},
      onElicit: async () => ({ action: "accept", content: { yes: true } }),
    },
  );
  expect(asked.result.content).toEqual([
    { type: "text", text: JSON.stringify({ action: "accept", content: { yes: true } }) },
  ]);
  const refused = await callUpstream(platform, target, {}, { ...limits, tool: "ask", args: {} });
  expect(refused.result.isError).toBe(true);
  expect(server.seen.sessions.size).toBe(2);
});

test("a question on the stream of a session reaches the caller whose call asks, also with two calls at once", async () => {
  const { platform, target } = await start(startCallableSessionServer({ asksApart: true }));
  const ask = async (yes: boolean) => {
    const onElicit = async () => ({ action: "accept" as const, content: { yes } });
    const { result } = await callUpstream(
      platform,
      target,
      {},
      { ...limits, tool: "ask", args: {}, onElicit },
    );
    return result.content;
  };
  const expected = (yes: boolean) => [
    { type: "text", text: JSON.stringify({ action: "accept", content: { yes } }) },
  ];
  expect(await ask(true)).toEqual(expected(true));
  // Both calls find a session that nobody uses.
  expect(await Promise.all([ask(true), ask(false)])).toEqual([expected(true), expected(false)]);
});

test("a session that was opened for a caller who left is used by the next one", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  server.gate.delayMs = 200;
  const abort = new AbortController();
  const ask = { ...limits, tool: "ask", args: {}, onElicit: async () => ({ action: "decline" as const }) };
  const left = callUpstream(platform, target, {}, { ...ask, signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await expect(left).rejects.toMatchObject({ kind: "cancelled" });
  await expect.poll(() => platform.state.get(sessionPool).count()).toBe(1);
  delete server.gate.delayMs;
  expect((await callUpstream(platform, target, {}, ask)).result.isError).not.toBe(true);
  expect(server.seen.sessions.size).toBe(1);
});

test("a session that the server forgot is opened again, and idle sessions are ended at the end", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  const call = { ...limits, tool: "echo", args: { text: "x" } };
  await callUpstream(platform, target, {}, call);
  server.forgetSessions();
  await callUpstream(platform, target, {}, call);
  expect(server.seen.calls).toHaveLength(3);
  expect(server.seen.sessions.size).toBe(1);
  await platform.state.stop();
  expect(server.seen.sessions.size).toBe(0);
  expect(server.seen.messages).toContain("DELETE");
});

test("many callers of one credential share a session, and other credentials have their own", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  const call = { ...limits, tool: "echo", args: { text: "x" } };
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      callUpstream(platform, target, { authorization: `Bearer token-number-${i % 3}` }, call),
    ),
  );
  expect(server.seen.sessions.size).toBe(3);
  platform.state.get(sessionPool).end(target.id);
  await expect.poll(() => server.seen.sessions.size).toBe(0);
});

test("a change that the server announces is noticed", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  await callUpstream(platform, target, {}, { ...limits, tool: "echo", args: { text: "x" } });
  const pool = platform.state.get(sessionPool);
  expect(pool.changedAt(target.id)).toBe(0);
  await expect.poll(() => server.seen.messages).toContain("GET");
  await expect
    .poll(() => {
      server.announceChange();
      return pool.changedAt(target.id);
    })
    .toBeGreaterThan(0);
});

test("what `checkListing` throws prevents the call", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  const held = new Error("held");
  const call = { ...limits, tool: "echo", args: { text: "x" }, checkListing: () => Promise.reject(held) };
  await expect(callUpstream(platform, target, {}, call)).rejects.toBe(held);
  expect(server.seen.calls).toEqual([]);
});

test("an error of the protocol is reported with its code", async () => {
  const { platform, target } = await start(startCallableModernServer());
  const error = await callUpstream(platform, target, {}, { ...limits, tool: "unknown", args: {} }).catch(
    (e) => e,
  );
  expect(error).toBeInstanceOf(UpstreamError);
  expect(error).toMatchObject({ kind: "rejected", rpc: { code: -32602 } });
});

test("a check of the listing may take its time", async () => {
  const { platform, target, server } = await start(startCallableSessionServer());
  const checkListing = () => new Promise<void>((resolve) => setTimeout(resolve, 600));
  await callUpstream(platform, target, {}, { ...limits, tool: "echo", args: { text: "x" }, checkListing });
  expect(server.seen.calls).toHaveLength(1);
});
