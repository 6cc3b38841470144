import { gzipSync } from "node:zlib";
import { createEgress } from "@signalbox/discovery/egress";
import { afterEach, expect, test } from "vitest";
import {
  type CallScript,
  result,
  type ScriptedServer,
  sse,
  startScriptedServer,
} from "../../../../test/fixtures/mcp-servers/scripted.ts";
import { createUpstreamPlatform } from "../../../../test/mcp-upstream.ts";
import { newId } from "../../../platform/ids.ts";
import { callUpstream, type UpstreamTarget } from "./index.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(script: CallScript, onGet?: CallScript, sessionId?: string) {
  const server = await startScriptedServer(script, onGet, sessionId);
  closing.push(server.close);
  const platform = createUpstreamPlatform(egress);
  closing.push(() => platform.state.stop());
  const target: UpstreamTarget = {
    id: newId("mcn"),
    orgId: newId("org"),
    url: server.url,
    protocolVersion: null,
  };
  const call = (timeoutMs = 5_000) =>
    callUpstream(
      platform,
      target,
      { authorization: "Bearer secret-of-upstream" },
      {
        tool: "run",
        args: {},
        timeoutMs,
        maxResultBytes: 256 * 1024,
      },
    );
  return { server, platform, call };
}

const isQuiet = (server: ScriptedServer) => expect.poll(() => server.open.size).toBe(0);

test("a server that never answers: the call times out, is cancelled there, and its connection ends", async () => {
  const { server, call } = await start(() => {});
  await expect(call(1_500)).rejects.toMatchObject({ kind: "timed_out" });
  await expect.poll(() => server.messages).toContain("notifications/cancelled");
  await isQuiet(server);
});

test("50 MB of JSON are refused while they arrive", async () => {
  const chunk = Buffer.alloc(64 * 1024, "a");
  let sent = 0;
  const { server, call } = await start((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const write = () => {
      while (sent < 50 * 1024 * 1024 && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  });
  await expect(call()).rejects.toMatchObject({ kind: "too_large" });
  await isQuiet(server);
  expect(sent).toBeLessThan(20 * 1024 * 1024);
});

test("an endless stream of events is cut off", async () => {
  const { server, call } = await start((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = sse({
      jsonrpc: "2.0",
      method: "notifications/message",
      params: { level: "info", data: "x".repeat(2_000) },
    });
    const write = () => {
      while (!response.destroyed) if (!response.write(event)) return void response.once("drain", write);
    };
    write();
  });
  await expect(call()).rejects.toMatchObject({ kind: "too_large" });
  await isQuiet(server);
});

test("an event without an end is cut off", async () => {
  const { server, call } = await start((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: ");
    const timer = setInterval(() => response.write("y".repeat(256 * 1024)), 1);
    response.on("close", () => clearInterval(timer));
  });
  await expect(call()).rejects.toMatchObject({ kind: "too_large" });
  await isQuiet(server);
});

test("a small compressed reply that inflates is refused", async () => {
  const { call } = await start(({ id }, response) => {
    const body = gzipSync(JSON.stringify(result(id, "a".repeat(30 * 1024 * 1024))));
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(body);
  });
  await expect(call()).rejects.toMatchObject({ kind: "too_large" });
});

test("a result beyond the limit of the connection is refused", async () => {
  const { call } = await start(({ id }, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(result(id, "a".repeat(300 * 1024)))),
  );
  await expect(call()).rejects.toMatchObject({ kind: "too_large" });
});

test("a reply that is longer than it says, or shorter, is no result", async () => {
  const { call } = await start((_, response, request) => {
    request.socket.end(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"jsonrpc":"2.0"',
    );
    response.destroy();
  });
  await expect(call()).rejects.toMatchObject({ kind: "unavailable" });
  const other = await start((_, _response, request) => {
    request.socket.write(
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n{"jsonrpc":"2.0"}',
    );
  });
  await expect(other.call()).rejects.toMatchObject({
    kind: expect.stringMatching(/invalid_answer|unavailable/),
  });
});

test("a connection that ends in the middle of a stream is a failure at once", async () => {
  const { call } = await start((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      sse({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }),
    );
    setTimeout(() => response.destroy(), 30);
  });
  await expect(call(60_000)).rejects.toMatchObject({ kind: "unavailable" });
});

test("a stream that ends without the answer is a failure at once", async () => {
  const { call } = await start((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end();
  });
  await expect(call(60_000)).rejects.toMatchObject({ kind: "invalid_answer" });
});

test("an answer with another id is not the answer", async () => {
  const { call } = await start((_, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(result(4711, "wrong"))),
  );
  await expect(call(60_000)).rejects.toMatchObject({ kind: "invalid_answer" });
});

test("a stream that stays open after the answer does not delay it, and is closed", async () => {
  const { server, call } = await start(({ id }, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(result(id, "done")));
  });
  expect((await call(60_000)).result.content).toEqual([{ type: "text", text: "done" }]);
  await isQuiet(server);
});

test("HTML is no answer, and its text is not repeated", async () => {
  const { call } = await start((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in, secret-of-upstream</h1>"),
  );
  const error = await call(60_000).catch((e) => e);
  expect(error).toMatchObject({ kind: "invalid_answer" });
  expect(JSON.stringify([error.message, error.rpc])).not.toContain("secret-of-upstream");
});

test.each([302, 307, 308])("a redirect (%d) is not followed, wherever it leads", async (status) => {
  const { server, call } = await start((_, response) =>
    response.writeHead(status, { location: "http://169.254.169.254/latest/meta-data" }).end(),
  );
  await expect(call()).rejects.toMatchObject({ kind: "unavailable", status });
  expect(server.messages.filter((message) => message === "tools/call")).toHaveLength(1);
});

test("a call that failed is not sent again because another call found the session lost", async () => {
  const waiting: (() => void)[] = [];
  const { server, call } = await start(
    ({ id }, response) => {
      const answer = () =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify(result(id, "done")));
      const calls = server.messages.filter((message) => message === "tools/call").length;
      if (calls === 2) waiting.push(() => response.writeHead(404).end());
      else if (calls === 3) waiting.push(() => response.writeHead(500).end());
      else answer();
      if (calls !== 3) return;
      waiting[0]?.();
      setTimeout(() => waiting[1]?.(), 200);
    },
    undefined,
    "first",
  );
  await call();
  const [lost, failed] = await Promise.allSettled([call(), call()]);
  expect(lost).toMatchObject({ status: "fulfilled" });
  expect(failed).toMatchObject({ status: "rejected", reason: { kind: "unavailable", status: 500 } });
  expect(server.messages.filter((message) => message === "tools/call")).toHaveLength(4);
});

test("a reply that begins with a byte order mark is read", async () => {
  const { call } = await start(({ id }, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(`\u{feff}${JSON.stringify(result(id, "done"))}`),
  );
  expect((await call()).result.content).toEqual([{ type: "text", text: "done" }]);
});

test("cookies of the server are not sent back", async () => {
  const cookies: unknown[] = [];
  const { call } = await start(({ id }, response, request) => {
    cookies.push(request.headers.cookie);
    response
      .writeHead(200, { "content-type": "application/json", "set-cookie": "a=b" })
      .end(JSON.stringify(result(id, "done")));
  });
  await call();
  await call();
  expect(cookies).toEqual([undefined, undefined]);
});

test("a server that ends its stream and asks to be called again at once is called again seldom", async () => {
  const { server, call } = await start(
    ({ id }, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result(id, "done"))),
    (_, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end("retry: 0\nid: 1\ndata:\n\n"),
  );
  await call();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(server.messages.filter((message) => message === "GET").length).toBeLessThan(5);
});

test("an error that repeats the credential is cleaned", async () => {
  const { call } = await start(({ id }, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        error: {
          code: -32000,
          message: "bad token secret-of-upstream",
          data: { token: "secret-of-upstream" },
        },
      }),
    ),
  );
  const error = await call().catch((e) => e);
  expect(error).toMatchObject({ kind: "rejected", rpc: { code: -32000, message: "bad token [redacted]" } });
  expect(JSON.stringify(error)).not.toContain("secret-of-upstream");
});
