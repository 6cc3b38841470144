import { gzipSync } from "node:zlib";
import { createEgress } from "@signalbox/discovery/egress";
import { afterEach, describe, expect, test } from "vitest";
import {
  type CallScript,
  drip,
  flood,
  result,
  type ScriptedServer,
  sse,
  startScriptedServer,
} from "../../../../test/fixtures/mcp-servers/scripted.ts";
import { createUpstreamPlatform } from "../../../../test/mcp-upstream.ts";
import { newId } from "../../../platform/ids.ts";
import { callUpstream, listUpstreamTools, type UpstreamTarget } from "./index.ts";
import { maxQuestions } from "./limits.ts";
import type { UpstreamCallbacks } from "./types.ts";

const egress = createEgress({ allow: [], allowLoopback: true });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(
  script: CallScript,
  onGet?: CallScript,
  sessionId?: string,
  others?: Record<string, CallScript>,
) {
  const server = await startScriptedServer(script, onGet, sessionId, others);
  closing.push(server.close);
  const platform = createUpstreamPlatform(egress);
  closing.push(() => platform.state.stop());
  const target: UpstreamTarget = {
    id: newId("mcn"),
    orgId: newId("org"),
    url: server.url,
    protocolVersion: null,
  };
  const call = (timeoutMs = 5_000, signal?: AbortSignal, onElicit?: UpstreamCallbacks["onElicit"]) =>
    callUpstream(
      platform,
      target,
      { authorization: "Bearer secret-of-upstream" },
      {
        tool: "run",
        args: {},
        timeoutMs,
        maxResultBytes: 256 * 1024,
        signal,
        onElicit,
      },
    );
  const list = (timeoutMs = 5_000, signal?: AbortSignal) =>
    listUpstreamTools(platform, target, {}, { timeoutMs, signal });
  return { server, platform, call, list };
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

const startStream = (response: Parameters<CallScript>[1]) =>
  response.writeHead(200, { "content-type": "text/event-stream" });
const startJson = (response: Parameters<CallScript>[1]) =>
  response.writeHead(200, { "content-type": "application/json" });
const notification = sse({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "x".repeat(2_000) },
});
const never: CallScript = () => {};
const listTools = (id: unknown, tools: unknown, nextCursor?: string) =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { tools, nextCursor } });
const smallTools = (count: number) => Array(count).fill({ name: "a", inputSchema: { type: "object" } });

describe("a list of tools without end", () => {
  test.each<[string, CallScript, string]>([
    ["of notifications", (_, response) => flood(startStream(response), notification), "too_large"],
    ["of white space", (_, response) => flood(startJson(response), " ".repeat(16_384)), "too_large"],
    ["of one byte at a time", (_, response) => drip(startJson(response)), "timed_out"],
    ["of one byte of an event at a time", (_, response) => drip(startStream(response)), "timed_out"],
    [
      "of a million small tools",
      ({ id }, response) => startJson(response).end(listTools(id, smallTools(1_000_000))),
      "too_large",
    ],
    [
      "of as many small tools as fit",
      ({ id }, response) => startJson(response).end(listTools(id, smallTools(100_000))),
      "invalid_answer",
    ],
    [
      "of as many small tools as fit, in an event",
      ({ id }, response) => startStream(response).end(`data: ${listTools(id, smallTools(100_000))}\n\n`),
      "invalid_answer",
    ],
    [
      "of pages",
      ({ id }, response) => startJson(response).end(listTools(id, [], `cursor ${Math.random()}`)),
      "invalid_answer",
    ],
    [
      "of pages with tools",
      ({ id }, response) => startJson(response).end(listTools(id, smallTools(1_500), `${Math.random()}`)),
      "invalid_answer",
    ],
  ])("%s is refused, and its connection is closed", async (_, script, kind) => {
    const { server, list } = await start(never, undefined, undefined, { "tools/list": script });
    await expect(list(kind === "timed_out" ? 1_500 : 20_000)).rejects.toMatchObject({ kind });
    await isQuiet(server);
    expect(server.messages.filter((message) => message === "tools/list").length).toBeLessThan(70);
  });

  test("that its caller cancels ends at the server", async () => {
    const abort = new AbortController();
    const { server, list } = await start(never, undefined, undefined, {
      "tools/list": (_, response) => {
        drip(startJson(response));
        setTimeout(() => abort.abort(), 100);
      },
    });
    await expect(list(20_000, abort.signal)).rejects.toMatchObject({ kind: "cancelled" });
    await isQuiet(server);
  });
});

test("a list that ends with more tools than are kept is read, so that the others can be counted", async () => {
  const { list } = await start(never, undefined, undefined, {
    "tools/list": ({ id }, response) => startJson(response).end(listTools(id, smallTools(10_000))),
  });
  expect((await list()).tools).toHaveLength(10_000);
});

describe("the opening of a session", () => {
  test.each<[string, CallScript, string]>([
    ["notifications without end", (_, response) => flood(startStream(response), notification), "too_large"],
    ["white space without end", (_, response) => flood(startJson(response), " ".repeat(16_384)), "too_large"],
  ])("that is answered with %s fails, and its connection is closed", async (_, script, kind) => {
    const { server, call } = await start(never, undefined, undefined, { initialize: script });
    await expect(call(20_000)).rejects.toMatchObject({ kind });
    await isQuiet(server);
    expect(server.messages).not.toContain("tools/call");
  });

  test("that is answered one byte at a time ends for the caller with the time of the call", async () => {
    const { server, call } = await start(never, undefined, undefined, {
      initialize: (_, response) => drip(startJson(response)),
    });
    await expect(call(1_000)).rejects.toMatchObject({ kind: "timed_out" });
    expect(server.messages).not.toContain("tools/call");
  });
});

test("an answer of one byte at a time times out, and its connection is closed", async () => {
  const { server, call } = await start((_, response) => drip(startJson(response)));
  await expect(call(1_500)).rejects.toMatchObject({ kind: "timed_out" });
  await isQuiet(server);
});

test("a call that its caller cancels while notifications come ends at the server", async () => {
  const abort = new AbortController();
  const { server, call } = await start((_, response) => {
    startStream(response);
    const timer = setInterval(() => response.write(notification), 50);
    response.on("close", () => clearInterval(timer));
    setTimeout(() => abort.abort(), 200);
  });
  await expect(call(20_000, abort.signal)).rejects.toMatchObject({ kind: "cancelled" });
  await isQuiet(server);
  await expect.poll(() => server.messages).toContain("notifications/cancelled");
});

describe("a stream of requests to us", () => {
  const requests = (count: number) =>
    Array.from({ length: count }, (_, n) => sse({ jsonrpc: "2.0", id: n, method: "ping" })).join("");
  const countAnswers = ({ messages }: ScriptedServer) =>
    messages.filter((message) => message === "response").length;

  test("ends the call, and few of them are answered", async () => {
    const { server, call } = await start((_, response) => flood(startStream(response), requests(1_000)));
    await expect(call(20_000)).rejects.toMatchObject({ kind: "invalid_answer" });
    await isQuiet(server);
    expect(countAnswers(server)).toBeLessThan(100);
  });

  test("in a list of messages ends the call too", async () => {
    const ping = (n: number) => ({ jsonrpc: "2.0", id: n, method: "ping" });
    const { server, call } = await start((_, response) =>
      startJson(response).end(JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ping(n)))),
    );
    await expect(call(20_000)).rejects.toMatchObject({ kind: "invalid_answer" });
    expect(countAnswers(server)).toBeLessThan(100);
  });

  test("outside of a call is answered only in part, and the session works", async () => {
    const { server, call } = await start(
      ({ id }, response) => startJson(response).end(JSON.stringify(result(id, "done"))),
      (_, response) => startStream(response).write(requests(5_000)),
    );
    await call();
    await expect.poll(() => countAnswers(server)).toBeGreaterThan(0);
    expect((await call()).result.content).toEqual([{ type: "text", text: "done" }]);
    expect(countAnswers(server)).toBeLessThan(1_000);
  });

  test("of a few is answered", async () => {
    const { server, call } = await start(({ id }, response) => {
      startStream(response).write(requests(10));
      const timer = setInterval(() => {
        if (countAnswers(server) < 10) return;
        clearInterval(timer);
        response.end(sse(result(id, "done")));
      }, 10);
    });
    expect((await call()).result.content).toEqual([{ type: "text", text: "done" }]);
    expect(countAnswers(server)).toBe(10);
  });
});

describe("questions for the caller", () => {
  const ask = (id: number, meta = "1") =>
    `data: {"jsonrpc":"2.0","id":${id},"method":"elicitation/create","params":{"_meta":{"nested":${meta}},"message":"Which one?","requestedSchema":{"type":"object","properties":{}}}}\n\n`;
  const countAnswers = ({ messages }: ScriptedServer) =>
    messages.filter((message) => message === "response").length;

  test("beyond a number at the same moment are refused", async () => {
    const { promise: answer, resolve } = Promise.withResolvers<{ action: "decline" }>();
    let asked = 0;
    const { server, call } = await start(async ({ id }, response) => {
      const refused = 5;
      startStream(response);
      for (let n = 0; n < maxQuestions + refused; n++) response.write(ask(n));
      await expect.poll(() => countAnswers(server)).toBe(refused);
      resolve({ action: "decline" });
      await expect.poll(() => countAnswers(server)).toBe(maxQuestions + refused);
      response.end(sse(result(id, "done")));
    });
    const onElicit = () => {
      asked += 1;
      return answer;
    };
    expect((await call(20_000, undefined, onElicit)).result.content).toEqual([
      { type: "text", text: "done" },
    ]);
    expect(asked).toBe(maxQuestions);
  });

  test("that cannot be passed on do not count any more", async () => {
    // Too deep to be searched for the credential.
    const nested = "[".repeat(20_000) + "]".repeat(20_000);
    let asked = 0;
    const { server, call } = await start(async ({ id }, response) => {
      startStream(response);
      for (let n = 0; n <= maxQuestions; n++) {
        response.write(ask(n, n < maxQuestions ? nested : "1"));
        await expect.poll(() => countAnswers(server), { interval: 5 }).toBe(n + 1);
      }
      response.end(sse(result(id, "done")));
    });
    const onElicit = async () => {
      asked += 1;
      return { action: "decline" } as const;
    };
    expect((await call(20_000, undefined, onElicit)).result.content).toEqual([
      { type: "text", text: "done" },
    ]);
    expect(asked).toBe(1);
  });
});

test("notifications without end on the stream of a session end that stream, and calls go on", async () => {
  let bytes = 0;
  const { server, call } = await start(
    ({ id }, response) => startJson(response).end(JSON.stringify(result(id, "done"))),
    (_, response) => {
      startStream(response);
      const write = response.write.bind(response);
      response.write = ((piece: string) => {
        bytes += piece.length;
        return write(piece);
      }) as typeof response.write;
      flood(response, notification);
    },
  );
  await call();
  await expect.poll(() => server.messages).toContain("GET");
  await isQuiet(server);
  expect((await call()).result.content).toEqual([{ type: "text", text: "done" }]);
  // What is limited, and what is on its way.
  expect(bytes).toBeLessThan(20 * 1024 * 1024);
});
