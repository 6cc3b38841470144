/** Replies that are a body or a stream, and mounted handlers that take a web `Request`, on real sockets. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { useRoutes } from "../../../test/http-kit.ts";
import { sendRaw } from "../../../test/raw.ts";
import { mountHandler, on, open, protocol, route, signedIn } from "./index.ts";
import { splitEvents } from "./sse-bytes.ts";

const seen = {
  signal: undefined as AbortSignal | undefined,
  streamEnded: false,
  cancelled: false,
  mountSignal: undefined as AbortSignal | undefined,
};

const rpc = protocol({
  prefix: "/rpc",
  error: {
    render: ({ status, message }) => ({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000 - status, message },
    }),
    schema: z.looseObject({ jsonrpc: z.literal("2.0") }),
  },
});

/** One address that answers with a body or with a stream, as MCP's Streamable HTTP does. */
const either = on(
  route({
    method: "post",
    path: "/either",
    tag: "Test",
    summary: "A body or a stream.",
    access: open,
    body: z.strictObject({ stream: z.enum(["no", "short", "endless"]) }),
    mayStream: true,
    replies: { 200: z.strictObject({ ok: z.literal(true) }), 202: null },
  }),
  (_ctx, { body, eventStream, setHeader, signal }) => {
    seen.signal = signal;
    setHeader("x-session", "s1");
    if (body.stream === "no") return { status: 200 as const, body: { ok: true as const } };
    return eventStream(async function* (left) {
      yield { event: "message", data: { step: 1 } };
      if (body.stream === "endless") {
        await new Promise((resolve) => left.addEventListener("abort", resolve));
        seen.streamEnded = true;
      }
      yield { event: "message", data: { step: 2 } };
    });
  },
);

const encoder = new TextEncoder();
const endlessEvents = () => {
  seen.cancelled = false;
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode("data: 1\n\n")),
    cancel: () => {
      seen.cancelled = true;
    },
  });
};

const mounted = mountHandler(
  {
    prefix: "/rpc",
    tag: "Test",
    summary: "A mounted handler.",
    access: open,
    protocol: rpc,
    bodyLimit: 1_000,
    answerMs: 300,
  },
  async (ctx, request) => {
    seen.mountSignal = request.signal;
    const url = new URL(request.url);
    switch (url.pathname) {
      case "/rpc/cookies": {
        const headers = new Headers({ "x-own": "1", connection: "close", "content-length": "3" });
        headers.append("set-cookie", "a=1; HttpOnly");
        headers.append("set-cookie", "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT");
        return new Response("longer than three", { headers, status: 201 });
      }
      case "/rpc/slow":
        return new Promise<Response>(() => {});
      case "/rpc/waits":
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        return new Response("too late");
      case "/rpc/events":
        return new Response(endlessEvents(), {
          headers: { "content-type": "text/event-stream", "x-session": "s2" },
        });
      case "/rpc/parts":
        return new Response(
          new ReadableStream<Uint8Array>({
            async pull(controller) {
              controller.enqueue(encoder.encode("part "));
              await pause(20);
              controller.enqueue(encoder.encode("by part"));
              controller.close();
            },
          }),
        );
      case "/rpc/breaks":
        return new Response(
          new ReadableStream<Uint8Array>({
            pull(controller) {
              controller.enqueue(encoder.encode("begun"));
              controller.error(new Error("broken"));
            },
          }),
        );
      case "/rpc/fault":
        throw new Error("a secret detail");
      case "/rpc/error-response":
        return Response.error();
      case "/rpc/nothing":
        return new Response(null, { status: 204 });
      default:
        return Response.json({
          method: request.method,
          url: request.url,
          body: await request.text(),
          headers: Object.fromEntries(request.headers),
          requestId: ctx.requestId,
          credential: ctx.caller?.credential ?? null,
        });
    }
  },
);

const guarded = mountHandler(
  {
    prefix: "/guarded",
    tag: "Test",
    summary: "A mounted handler for callers with a scope.",
    access: signedIn({ credentials: ["mcp"] }),
    scopes: ["use"],
    methods: ["get", "post"],
  },
  (_ctx, request) =>
    request.url.endsWith("/events")
      ? new Response(endlessEvents(), { headers: { "content-type": "text/event-stream" } })
      : new Response("in"),
);

const own = on(
  route({
    method: "get",
    path: "/rpc/own",
    tag: "Test",
    summary: "A route below the prefix of a mounted handler.",
    access: open,
    protocol: rpc,
    replies: { 200: z.strictObject({ own: z.literal(true) }) },
  }),
  () => ({ own: true as const }),
);

const server = useRoutes([either, ...mounted, ...guarded, own]);
const post = (path: string, body: unknown, init: RequestInit = {}) =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });

describe("a route that may stream", () => {
  test("answers with a body", async () => {
    const reply = await post("/either", { stream: "no" });
    expect(reply.headers.get("content-type")).toBe("application/json; charset=UTF-8");
    expect(reply.headers.get("x-session")).toBe("s1");
    expect(await reply.json()).toEqual({ ok: true });
  });

  test("answers with a stream that ends by itself", async () => {
    const reply = await post("/either", { stream: "short" });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(reply.headers.get("x-session")).toBe("s1");
    expect(await reply.text()).toBe(
      'retry: 2000\n\nevent: message\ndata: {"step":1}\n\nevent: message\ndata: {"step":2}\n\n',
    );
  });

  test("checks the body before it streams", async () => {
    const reply = await post("/either", { stream: "maybe" });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: "invalid_request" });
  });

  test("ends its stream and aborts its signal when the caller leaves", async () => {
    seen.streamEnded = false;
    const leaving = new AbortController();
    const reply = await post("/either", { stream: "endless" }, { signal: leaving.signal });
    const reader = reply.body!.getReader();
    await reader.read();
    expect(seen.signal!.aborted).toBe(false);
    leaving.abort();
    await vi.waitFor(() => expect(seen.streamEnded).toBe(true));
    expect(seen.signal!.aborted).toBe(true);
  });
});

describe("a mounted handler", () => {
  test("gets the request as it was sent, and its own prefix", async () => {
    const reply = await post("/rpc/a%2Fb/c?x=1&y=%20", "text", {
      headers: { "content-type": "text/plain", "x-many": "1, 2" },
    });
    const { url, method, body, headers, requestId, credential } = (await reply.json()) as Record<
      string,
      unknown
    >;
    expect({ url, method, body, credential }).toEqual({
      url: `${server.url}/rpc/a%2Fb/c?x=1&y=%20`,
      method: "POST",
      body: "text",
      credential: null,
    });
    expect(headers).toMatchObject({ "content-type": "text/plain", "x-many": "1, 2" });
    expect(reply.headers.get("x-request-id")).toBe(requestId);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each(["GET", "PUT", "PATCH", "DELETE"])("accepts %s", async (method) => {
    expect(await (await fetch(`${server.url}/rpc`, { method })).json()).toMatchObject({ method });
  });

  test("leaves paths with a route of their own to that route", async () => {
    expect(await (await fetch(`${server.url}/rpc/own`)).json()).toEqual({ own: true });
  });

  test("a target that begins with two slashes does not change the host of its URL", async () => {
    const { replies } = await sendRaw(server.url, [
      "GET //rpc/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "",
    ]);
    expect(replies[0]?.status).toBe(404);
  });

  test("sends several cookies, its status and headers, and no wrong length", async () => {
    const reply = await fetch(`${server.url}/rpc/cookies`);
    expect(reply.status).toBe(201);
    expect(reply.headers.getSetCookie()).toEqual([
      "a=1; HttpOnly",
      "b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
    ]);
    expect(reply.headers.get("x-own")).toBe("1");
    expect(reply.headers.get("connection")).not.toBe("close");
    expect(await reply.text()).toBe("longer than three");
  });

  test("streams its body, and a body that fails is not a complete reply", async () => {
    expect(await (await fetch(`${server.url}/rpc/parts`)).text()).toBe("part by part");
    const broken = await fetch(`${server.url}/rpc/breaks`);
    await expect(broken.text()).rejects.toThrow();
  });

  test("answers HEAD and 204 without a body, and the connection stays usable", async () => {
    const ask = (line: string, last = "") => `${line} HTTP/1.1\r\nHost: localhost\r\n${last}\r\n`;
    const { replies } = await sendRaw(
      server.url,
      [
        ask("HEAD /rpc/parts") +
          ask("GET /rpc/nothing") +
          ask("HEAD /rpc/events") +
          ask("GET /rpc/own", "Connection: close\r\n"),
      ],
      { waitMs: 2_000 },
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 204, 200, 200]);
    expect(replies[3]!.body).toBe('{"own":true}');
  });

  test("has the limits of the platform for size, sending time and reply time", async () => {
    const large = await post("/rpc/x", "x".repeat(2_000));
    expect(large.status).toBe(413);
    expect(await large.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32413 } });
    const slow = await fetch(`${server.url}/rpc/slow`);
    expect(slow.status).toBe(503);
    expect(seen.mountSignal!.aborted).toBe(true);
    const { replies } = await sendRaw(
      server.url,
      ["POST /rpc/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nab"],
      { waitMs: 4_000 },
    );
    expect(replies[0]?.status).toBe(408);
  });

  test("reads a chunked body, and discards the body of a GET", async () => {
    const chunks = "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    const { replies } = await sendRaw(
      server.url,
      [
        `POST /rpc/x HTTP/1.1\r\nHost: localhost\r\n${chunks}`,
        `GET /rpc/own HTTP/1.1\r\nHost: localhost\r\n${chunks}`,
        "GET /rpc/own HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      ],
      { waitMs: 2_000 },
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("gives the protocol's 500 for an exception, without its text", async () => {
    for (const path of ["/rpc/fault", "/rpc/error-response"]) {
      const reply = await fetch(server.url + path);
      expect(reply.status).toBe(500);
      const text = await reply.text();
      expect(JSON.parse(text)).toMatchObject({ jsonrpc: "2.0", error: { code: -32500 } });
      expect(text).not.toContain("secret");
    }
  });

  test("is aborted when the caller leaves before the reply", async () => {
    seen.mountSignal = undefined;
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET /rpc/waits HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await vi.waitFor(() => expect(seen.mountSignal?.aborted).toBe(false));
    socket.destroy();
    await vi.waitFor(() => expect(seen.mountSignal!.aborted).toBe(true));
  });

  test("is in the log and the metrics, under one name", async () => {
    const before = server.logLines.length;
    await fetch(`${server.url}/rpc/made-up`);
    const line = JSON.parse(server.logLines.slice(before).find((text) => text.includes('"request"'))!);
    expect(line).toMatchObject({ operation: "getRpc", status: 200, method: "GET" });
    const metrics = server.platform.metrics.render();
    expect(metrics).toMatch(/http_request_duration_seconds_count\{operation="getRpc",status="200"\} \d+/);
    expect(metrics).not.toContain("made-up");
  });

  test("is called only for callers with access and scope, and only for its methods", async () => {
    expect((await fetch(`${server.url}/guarded`)).status).toBe(401);
    const headers = { authorization: "Bearer t" };
    server.callers.set("t", {
      principal: "person",
      userId: "usr_1",
      credential: "mcp",
      credentialId: "mct_1",
      scopes: [],
    });
    expect((await fetch(`${server.url}/guarded`, { headers })).status).toBe(403);
    server.callers.set("t", {
      principal: "person",
      userId: "usr_1",
      credential: "mcp",
      credentialId: "mct_1",
      scopes: ["use"],
    });
    expect(await (await fetch(`${server.url}/guarded/x`, { headers })).text()).toBe("in");
    const wrong = await fetch(`${server.url}/guarded/x`, { method: "DELETE", headers });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
  });
});

describe("an event stream of a mounted handler", () => {
  test("keeps the handler's headers, and its source is cancelled when the caller leaves", async () => {
    const leaving = new AbortController();
    const reply = await fetch(`${server.url}/rpc/events`, { signal: leaving.signal });
    expect(reply.headers.get("x-session")).toBe("s2");
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const reader = reply.body!.getReader();
    let text = "";
    while (!text.includes("data: 1\n\n")) text += new TextDecoder().decode((await reader.read()).value);
    leaving.abort();
    await vi.waitFor(() => expect(seen.cancelled).toBe(true));
  });

  test("releases its source when nobody reads it", async () => {
    await fetch(`${server.url}/rpc/events`, { method: "HEAD" });
    await vi.waitFor(() => expect(seen.cancelled).toBe(true));
  });

  test("ends when the credential loses its scope", async () => {
    const headers = { authorization: "Bearer narrowed" };
    server.callers.set("narrowed", {
      principal: "person",
      userId: "usr_1",
      credential: "mcp",
      credentialId: "mct_2",
      scopes: ["use"],
    });
    const reply = await fetch(`${server.url}/guarded/events`, { headers });
    expect(reply.status).toBe(200);
    server.callers.set("narrowed", {
      principal: "person",
      userId: "usr_1",
      credential: "mcp",
      credentialId: "mct_2",
      scopes: [],
    });
    await server.platform.bus.publish(server.platform.db, "callers", "mct_2");
    expect(await reply.text()).toContain("data: 1\n\n");
    await vi.waitFor(() => expect(seen.cancelled).toBe(true));
  });

  test.each([
    ["LF", "data: a\n\ndata: b", "\n\nda", "ta: c\n\n"],
    ["CR LF", "data: a\r\n\r\ndata: b", "\r\n\r\nda", "ta: c\r\n\r\n"],
  ])("is cut only between events (%s)", async (_, ...parts) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const part of parts) controller.enqueue(encoder.encode(part));
        controller.enqueue(encoder.encode("data: never completed"));
        controller.close();
      },
    });
    const out: string[] = [];
    for await (const bytes of splitEvents(body.getReader(), new AbortController().signal))
      out.push(new TextDecoder().decode(bytes));
    expect(out.join("")).toBe(parts.join(""));
    for (const text of out) expect(text).toMatch(/(?:\n\n|\r\n\r\n)$/);
  });
});

describe("when the server stops", () => {
  test("both kinds of streams end at once, and cleanly", async () => {
    const replies = await Promise.all([
      post("/either", { stream: "endless" }),
      fetch(`${server.url}/rpc/events`),
    ]);
    const started = performance.now();
    const closed = server.close(10_000);
    for (const reply of replies) expect(await reply.text()).toContain("data: ");
    await closed;
    expect(performance.now() - started).toBeLessThan(8_000);
    expect(seen.cancelled).toBe(true);
  });
});
