/** Whatever is sent, the answer has the shape of all the others, and says no more than it should. */
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { routes } from "../../src/app.ts";
import { sql } from "../../src/platform/db/index.ts";
import { conflict } from "../../src/platform/errors.ts";
import { createHttp, type Listening, listen, on, open, route } from "../../src/platform/http/index.ts";
import {
  createDatabase,
  createKey,
  createWorkspace,
  type Reply,
  startServer,
  type TestDatabase,
  type TestServer,
  useServer,
  type Workspace,
} from "../harness.ts";
import { type RawReply, sendRaw } from "../raw.ts";

const json = { "content-type": "application/json" };

function expectUsualHeaders(reply: Pick<Reply, "status" | "headers">) {
  expect(reply.headers.get("x-request-id")).toMatch(/^req_/);
  expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  expect(reply.headers.get("cache-control")).toBe("no-store");
}

function expectRawError(reply: RawReply | undefined, status: number, error: string) {
  expect(reply?.status).toBe(status);
  expect(JSON.parse(reply!.body)).toMatchObject({ error });
  expectUsualHeaders({ status, headers: new Headers(reply!.headers) });
  expect(reply!.headers["content-type"]).toMatch(/^application\/json/);
}

describe("a request that cannot be read", () => {
  const server = useServer();
  let acme: Workspace;
  beforeAll(async () => {
    acme = await createWorkspace(server);
  });
  const post = (body: string | Uint8Array<ArrayBuffer> | undefined, headers: Record<string, string> = json) =>
    fetch(`${server.url}/v1/organizations`, {
      method: "POST",
      headers: { ...acme.owner.auth, ...headers },
      ...(body === undefined ? {} : { body }),
    });

  const bad: Record<string, () => Promise<Response>> = {
    "is not JSON": () => post("{"),
    "is JSON with something after it": () => post('{"name":"A"} x'),
    "is missing": () => post(undefined),
    "is empty": () => post(""),
    "is only white space": () => post("  \n"),
    "is JSON5": () => post("{name:'A'}"),
    "has no content type": () => post(new Uint8Array(Buffer.from('{"name":"A"}')), {}),
    "is a form": () => post("name=A", { "content-type": "application/x-www-form-urlencoded" }),
    "is text": () => post('{"name":"A"}', { "content-type": "text/plain" }),
    "is text that mentions JSON": () =>
      post('{"name":"A"}', { "content-type": "text/plain;application/json" }),
    "is compressed": () => post('{"name":"A"}', { ...json, "content-encoding": "gzip" }),
    "is not UTF-8": () => post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
    "is UTF-16": () => post(Buffer.from('{"name":"A"}', "utf16le")),
    "has NUL in a text": () => post('{"name":"a\\u0000b"}'),
    "has half a surrogate pair in a text": () => post('{"name":"a\\ud800b"}'),
    "has the other half": () => post('{"name":"a\\uDC00b"}'),
    "has NUL in a field's name": () => post('{"name":"a","\\u0000":1}'),
    "is nested ten thousand deep": () => post("[".repeat(10_000) + "]".repeat(10_000)),
    "is nested deep around a NUL": () => post(`${"[".repeat(200_000)}"\\u0000"${"]".repeat(200_000)}`),
    "is objects nested deep around a NUL": () =>
      post(`${'{"a":'.repeat(50_000)}"\\u0000"${"}".repeat(50_000)}`),
  };

  test.each(Object.entries(bad))("a body that %s gets 400 with details", async (_, send) => {
    const response = await send();
    const body = (await response.json()) as { details: { message: string }[] };
    expect(response.status).toBe(400);
    expect(body).toMatchObject({ error: "invalid_request" });
    expect(body.details[0]!.message).toBeTypeOf("string");
    expectUsualHeaders(response);
  });

  test("a body with a thousand unknown fields is refused in a few lines", async () => {
    const response = await post(
      JSON.stringify({
        name: "A",
        ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, 1])),
      }),
    );
    expect(response.status).toBe(400);
    const { details } = (await response.json()) as { details: unknown[] };
    expect(details.length).toBeLessThanOrEqual(50);
  });

  test("JSON with another media type, a charset or a byte order mark is accepted", async () => {
    for (const contentType of [
      "application/json; charset=utf-8",
      "APPLICATION/JSON",
      "application/vnd.x+json",
    ]) {
      expect((await post('{"name":"A"}', { "content-type": contentType })).status).toBe(201);
    }
    expect((await post(Buffer.from('\ufeff{"name":"A"}'))).status).toBe(201);
  });

  test("a query parameter given twice is refused by name", async () => {
    const reply = await server.call("/v1/organizations?limit=1&limit=2", { headers: acme.owner.auth });
    expect(reply.status).toBe(400);
    expect(reply.body.details).toEqual([{ message: expect.any(String), path: ["limit"] }]);
  });

  test.each(["0", "101", "-1", "1.5", "1e99", "NaN", "abc", "", "9".repeat(400), "Infinity", "%00"])(
    "limit=%s is refused",
    async (limit) => {
      const reply = await server.call(`/v1/organizations?limit=${limit}`, { headers: acme.owner.auth });
      expect(reply).toMatchObject({ status: 400 });
      expect(reply.body.details[0].path).toEqual(["limit"]);
    },
  );

  test.each(["x", "%00", "é", Buffer.from("org_'; --").toString("base64url"), "x".repeat(501), ""])(
    "the cursor %j is refused",
    async (cursor) => {
      const path = `/v1/organizations?cursor=${cursor}`;
      const reply = await server.call(path, { headers: acme.owner.auth });
      expect(reply).toMatchObject({ status: 400, body: { details: [{ path: ["cursor"] }] } });
    },
  );

  test("an unknown route is 404", async () => {
    for (const path of [
      "/v1/nothing",
      "/v1",
      "/V1/me",
      "/v1/me/",
      "//v1/me",
      "/api/auth/get-session",
      "/.env",
    ]) {
      const reply = await server.call(path, { headers: acme.owner.auth });
      expect({ path, ...reply }).toMatchObject({ path, status: 404, body: { error: "route_not_found" } });
      expectUsualHeaders(reply);
    }
  });

  test("a method that a route does not have is 405 and lists the allowed ones", async () => {
    const reply = await server.call("/v1/me", { method: "PUT", headers: acme.owner.auth });
    expect(reply).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(reply.headers.get("allow")).toBe("GET, PATCH, DELETE, HEAD, OPTIONS");
    expectUsualHeaders(reply);
    const unusual = await server.call("/v1/me", { method: "PROPFIND" });
    expect(unusual.status).toBe(405);
    expectUsualHeaders(unusual);
  });

  test("OPTIONS lists the methods of a route and allows nothing to other origins", async () => {
    const reply = await server.call("/v1/members", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "GET" },
    });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expectUsualHeaders(reply);
  });

  test("a reply without content has no content type", async () => {
    const { body } = await server.call("/v1/teams", {
      body: { name: "Short-lived" },
      headers: acme.owner.auth,
    });
    const path = `/v1/teams/${body.team.id}`;
    const removed = await server.call(path, { method: "DELETE", headers: acme.owner.auth });
    const listed = await server.call(path, { method: "OPTIONS" });
    for (const reply of [removed, listed]) {
      expect(reply).toMatchObject({ status: 204, body: "" });
      expect(reply.headers.get("content-type")).toBeNull();
      expectUsualHeaders(reply);
    }
  });

  test("HEAD is not offered where GET changes data", async () => {
    const changing = routes.map(({ spec }) => spec).filter(({ changes }) => changes);
    expect(changing.length).toBeGreaterThan(5);
    for (const { method, path } of changing) {
      expect(method).toBe("get");
      const reply = await server.call(path.replaceAll(/\{.+?\}/g, "x"), {
        method: "HEAD",
        headers: acme.owner.auth,
      });
      expect(reply.status, path).toBe(405);
      expect(reply.headers.get("allow"), path).toMatch(/^GET, (?!HEAD)/);
    }
  });

  test("HEAD answers like GET, without the body", async () => {
    const get = await server.call("/v1/me", { headers: acme.owner.auth });
    const head = await server.call("/v1/me", { method: "HEAD", headers: acme.owner.auth });
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect((await server.call("/v1/me", { method: "HEAD" })).status).toBe(401);
    expectUsualHeaders(head);
  });

  test("a request id from a caller is used if it is safe, and replaced if not", async () => {
    const kept = await server.call("/health", { headers: { "x-request-id": "abc-123.XYZ_9" } });
    expect(kept.headers.get("x-request-id")).toBe("abc-123.XYZ_9");
    for (const bad of ["short", "a b c d e f g h", "x".repeat(65), '{"level":"error"}', "é".repeat(10)]) {
      expectUsualHeaders(await server.call("/v1/me", { headers: { "x-request-id": bad } }));
    }
  });

  describe("and is not valid HTTP", () => {
    const auth = () => `authorization: Bearer ${acme.owner.token}\r\n`;

    test.each([
      ["text that is not HTTP", "hello\r\n\r\n"],
      ["TLS to a plain port", Buffer.from("16030100a5010000a1030300", "hex")],
      ["a bad header", "GET /health HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n"],
      ["no host", "GET /health HTTP/1.1\r\n\r\n"],
      ["an invalid host", "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n"],
      ["a host with a path", "GET /health HTTP/1.1\r\nHost: a/b?c\r\n\r\n"],
      ["an invalid absolute target", "GET http://[::x/health HTTP/1.1\r\nHost: localhost\r\n\r\n"],
      ["a backslash", "GET /v1\\me HTTP/1.1\r\nHost: localhost\r\n\r\n"],
      [
        "length and chunks",
        "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      ],
      [
        "two lengths",
        "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
      ],
    ])("%s is 400", async (_, bytes) => {
      const { replies } = await sendRaw(server.url, [bytes], { waitMs: 300 });
      expect(replies).toHaveLength(1);
      expectRawError(replies[0], 400, "invalid_request");
    });

    test.each(["TRACE", "TRACK", "CONNECT"])(
      "%s is refused with an error of the usual form",
      async (method) => {
        const target = method === "CONNECT" ? "example.com:443" : "/health";
        const { replies } = await sendRaw(server.url, [
          `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        ]);
        expect([400, 404, 405, 501]).toContain(replies[0]?.status);
        expectUsualHeaders({ status: 0, headers: new Headers(replies[0]!.headers) });
      },
    );

    test("OPTIONS * is answered in the usual form", async () => {
      const { replies } = await sendRaw(server.url, [
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      ]);
      expect(replies[0]?.status).toBeLessThan(500);
      expectUsualHeaders({ status: 0, headers: new Headers(replies[0]!.headers) });
    });

    test("headers of more than 32 KiB are 431", async () => {
      const { replies } = await sendRaw(server.url, [
        `GET /health HTTP/1.1\r\nHost: localhost\r\nx-long: ${"x".repeat(40_000)}\r\n\r\n`,
      ]);
      expectRawError(replies[0], 431, "headers_too_large");
    });

    test("an unsupported expectation is 417", async () => {
      const { replies } = await sendRaw(server.url, [
        "GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nConnection: close\r\n\r\n",
      ]);
      expectRawError(replies[0], 417, "expectation_failed");
    });

    test("a caller with Expect: 100-continue is refused before sending the body", async () => {
      const { replies } = await sendRaw(server.url, [
        `POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n\r\n`,
      ]);
      expect(replies.map(({ status }) => status)).toEqual([413]);
    });

    test("a caller with Expect: 100-continue is told to continue", async () => {
      const body = '{"name":"Patient"}';
      const { replies } = await sendRaw(server.url, [
        `POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
        200,
        body,
      ]);
      expect(replies.map(({ status }) => status)).toEqual([100, 201]);
    });

    test("invalid bytes after a request do not change the reply to it", async () => {
      const { replies } = await sendRaw(server.url, [
        `GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\nnot a request at all\r\n\r\n`,
      ]);
      // The first is answered as itself or not at all; the refusal never takes its place.
      if (replies.length > 0) expect(replies[0]!.status).toBe(200);
    });

    test("the rest of a refused body is not read as the next request", async () => {
      const smuggled = "DELETE /v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n";
      const { replies } = await sendRaw(server.url, [
        `POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
        50,
        "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      ]);
      expect(replies.map(({ status }) => status)).toEqual([401, 200]);
    });

    test("a GET with a body is answered, and so is the next request on its connection", async () => {
      const { replies } = await sendRaw(server.url, [
        "GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
        50,
        "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    });

    test("a client that disconnects in the middle of its body causes no server error", async () => {
      const before = server.logLines.length;
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      socket.write(
        `POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`,
      );
      setTimeout(() => socket.destroy(), 100);
      await expect
        .poll(() => server.logLines.slice(before).find((line) => line.includes("postV1Organizations")))
        .toBeDefined();
      expect(server.logLines.slice(before).filter((line) => line.includes('"level":"error"'))).toEqual([]);
    });
  });

  describe("because it is too large", () => {
    test.each([1_100_000, 30_000_000])("a body of %i announced bytes is 413", async (size) => {
      for (let i = 0; i < 5; i++) {
        const response = await post("x".repeat(size));
        expect(response.status).toBe(413);
        expect(await response.json()).toEqual({ error: "payload_too_large", message: expect.any(String) });
        expectUsualHeaders(response);
      }
    });

    test("a body without an announced length is 413 once it is too large", async () => {
      for (let i = 0; i < 5; i++) {
        let sent = 0;
        const stream = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (sent >= 30_000_000) return controller.close();
            sent += 64 * 1024;
            controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
          },
        });
        const response = await fetch(`${server.url}/v1/organizations`, {
          method: "POST",
          headers: { ...acme.owner.auth, ...json },
          body: stream,
          duplex: "half",
        } as RequestInit);
        expect(response.status).toBe(413);
        expect(await response.json()).toMatchObject({ error: "payload_too_large" });
      }
    });

    test("a client that reads only after it has sent everything still gets the 413", async () => {
      const size = 20_000_000;
      const { replies } = await sendRaw(
        server.url,
        [
          `POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`,
          ...Array.from({ length: size / 1_000_000 }, () => Buffer.alloc(1_000_000, " ")),
        ],
        { listensLast: true },
      );
      expect(replies[0]?.status).toBe(413);
    });

    test("a client on a slow line that reads last still gets the 413", async () => {
      const parts = 12;
      const { replies } = await sendRaw(
        server.url,
        [
          `POST /v1/organizations HTTP/1.1\r\nHost: localhost\r\n${auth()}Content-Type: application/json\r\nContent-Length: ${parts * 1_000_000}\r\n\r\n`,
          ...Array.from({ length: parts }, () => [Buffer.alloc(1_000_000, " "), 100]).flat(),
        ],
        { listensLast: true },
      );
      expect(replies[0]?.status).toBe(413);
    });

    const auth = () => `authorization: Bearer ${acme.owner.token}\r\n`;
  });
});

describe("a server with short time limits", () => {
  const parent = useServer();
  let listening: Listening;
  let url: string;
  const name = z.strictObject({ name: z.string() });
  const base = { method: "post", tag: "Test", summary: "", access: open } as const;
  const routes = [
    on(route({ ...base, path: "/echo", body: name, replies: { 200: name } }), (_ctx, { body }) => body),
    on(route({ ...base, path: "/fault", body: name, replies: { 200: name } }), (_ctx, { body }) => {
      throw new Error(`a fault that knows ${body.name}`);
    }),
    on(route({ ...base, path: "/odd-fault", replies: { 200: name } }), () => {
      throw "a text, not an error";
    }),
    on(route({ ...base, path: "/refusal", replies: { 200: name } }), () => {
      throw conflict("taken", "It is taken.");
    }),
    on(route({ ...base, path: "/undescribed", replies: { 200: name } }), () => ({ name: 1 }) as never),
    on(
      route({ ...base, method: "get", path: "/page", raw: "text/html", replies: { 200: z.string() } }),
      () => {
        throw new Error("a page's own fault");
      },
    ),
  ];
  beforeAll(async () => {
    const socket = await listen("127.0.0.1", 0, { headersMs: 400, requestMs: 5_000 });
    const app = createHttp({
      platform: parent.platform,
      routes,
      authenticate: () => undefined,
      checkReplies: true,
      bodyDeadlineMs: 300,
    });
    listening = socket.serve(app);
    url = `http://127.0.0.1:${socket.port}`;
  });
  afterAll(() => listening.close(0));

  test("headers that do not come in time are 408", async () => {
    const { replies, closed } = await sendRaw(url, ["GET /echo HTTP/1.1\r\nHost: localhost\r\nx-slow"], {
      waitMs: 5_000,
    });
    expectRawError(replies[0], 408, "request_timeout");
    expect(closed).toBe(true);
  });

  test("a body that does not come in time is 408", async () => {
    const { replies, closed } = await sendRaw(url, [
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na',
    ]);
    expectRawError(replies[0], 408, "request_timeout");
    expect(closed).toBe(true);
  });

  test("a body that arrives byte by byte is 408", async () => {
    const drops = Array.from({ length: 30 }, () => ["x", 40]).flat();
    const { replies } = await sendRaw(url, [
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n",
      ...drops,
    ]);
    expectRawError(replies[0], 408, "request_timeout");
  });

  test("a body that comes in pieces, but in time, is read", async () => {
    const { replies } = await sendRaw(url, [
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"na',
      100,
      'me":"A"}',
    ]);
    expect(replies.map(({ status, body }) => [status, body])).toEqual([[200, '{"name":"A"}']]);
  });

  test.each(["/fault", "/odd-fault", "/undescribed"])(
    "an exception at %s shows only the request id",
    async (path) => {
      const response = await fetch(url + path, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ name: "my-secret-name" }),
      });
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(JSON.parse(text)).toEqual({
        error: "internal_error",
        requestId: response.headers.get("x-request-id"),
      });
      expect(text).not.toMatch(/my-secret-name|fault that|Error/);
      expectUsualHeaders(response);
      const line = parent.logLines.find((one) => one.includes(response.headers.get("x-request-id")!));
      expect(JSON.parse(line!)).toMatchObject({ level: "error", msg: "request failed" });
    },
  );

  test("a page that fails is a 500 in the usual form", async () => {
    const response = await fetch(`${url}/page`);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: "internal_error" });
  });

  test("a failing page gives a browser an error page with the request id and without the error text", async () => {
    const response = await fetch(`${url}/page`, { headers: { accept: "text/html" } });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toBe("text/html; charset=UTF-8");
    expect(text).toContain(response.headers.get("x-request-id")!);
    expect(text).not.toMatch(/page's own fault|Error:/);
    expect(text).toContain("Try again");
    expectUsualHeaders(response);
    const odd = await fetch(`${url}/page?%22%3E%3Cb%3E=1`, { headers: { accept: "text/html" } });
    expect(odd.status).toBe(400);
    expect(await odd.text()).toContain("&quot;&gt;&lt;b&gt;");
  });

  test("an unknown address gives a browser a page, and a program JSON", async () => {
    const page = await fetch(`${url}/nowhere`, { headers: { accept: "text/html" } });
    expect(page.status).toBe(404);
    expect(await page.text()).toContain("There is nothing at this address");
    const program = await fetch(`${url}/nowhere`);
    expect(program.status).toBe(404);
    expect(await program.json()).toEqual({ error: "route_not_found" });
    const posted = await fetch(`${url}/nowhere`, { method: "POST", headers: { accept: "text/html" } });
    expect(await posted.json()).toEqual({ error: "route_not_found" });
  });

  test("a refusal is returned unchanged", async () => {
    const response = await fetch(`${url}/refusal`, { method: "POST" });
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({ error: "taken", message: "It is taken." });
  });
});

test("a server that is still starting says so in the usual form", async () => {
  const socket = await listen("127.0.0.1", 0);
  const response = await fetch(`http://127.0.0.1:${socket.port}/v1/me`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: "service_unavailable" });
  expect(response.headers.get("retry-after")).toBe("1");
  expectUsualHeaders(response);
  await socket.serve({ answer: () => Promise.reject(new Error("nobody asks")) }).close(0);
});

describe("other origins", () => {
  const server = useServer({ env: { CORS_ORIGINS: "https://app.example.com" } });
  const preflight = (origin: string, path = "/v1/me") =>
    server.call(path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "PATCH" },
    });

  test("a configured origin may call, without cookies", async () => {
    const allowed = await preflight("https://app.example.com");
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
    expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
    expect(allowed.headers.get("vary")).toMatch(/origin/i);
    expectUsualHeaders(allowed);
    const refused = await server.call("/v1/me", { headers: { origin: "https://app.example.com" } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
  });

  test("any other origin may not", async () => {
    for (const origin of [
      "https://app.example.com.evil.example",
      "http://app.example.com",
      "https://APP.example.com",
      "https://app.example.com:8443",
      "null",
    ]) {
      const reply = await preflight(origin);
      expect(reply.headers.get("access-control-allow-origin"), origin).toBeNull();
      expect(reply.headers.get("vary")).toMatch(/origin/i);
    }
  });
});

describe("the log", () => {
  const server = useServer({ env: { LOG_LEVEL: "trace" } });

  test("contains no secret, whatever was sent and refused", async () => {
    const acme = await createWorkspace(server);
    const key = await createKey(server, acme.owner);
    const planted = "planted-secret-9f3a";
    const headers = {
      authorization: `Bearer ${planted}`,
      "x-api-key": `sbx_${planted}`,
      cookie: `signalbox_session=${planted}`,
      "idempotency-key": planted,
      "user-agent": `${planted} "}\n`.trim(),
    };
    await server.call(`/v1/me?token=${planted}`, { headers });
    await server.call("/v1/me", { headers: { ...headers, "x-forwarded-for": planted } });
    await server.call(`/v1/members/${planted}`, { headers: acme.owner.auth });
    await server.call(`/${planted}`, { headers });
    await server.call("/api/auth/sign-in/email", { body: { email: acme.owner.email, password: planted } });
    await server.call("/api/auth/sign-up/email", {
      body: { email: acme.owner.email, password: planted, name: planted },
    });
    await server.call("/api/auth/reset-password", { body: { token: planted, newPassword: planted } });
    await server.call(`/api/auth/verify-email?token=${planted}`);
    await server.call("/v1/organizations", { body: `{"name": "${planted}`, headers: acme.owner.auth });
    await server.call("/v1/api-keys", { body: { name: planted, expiresAt: 1 }, headers: acme.owner.auth });
    await sendRaw(server.url, [`GET /${planted} ${planted}\r\n\r\n`]);
    const log = server.logLines.join("");
    expect(log).toContain("postApiAuthSignInEmail");
    for (const secret of [planted, acme.owner.token, acme.owner.password, key.key]) {
      expect(log).not.toContain(secret);
    }
    for (const line of server.logLines) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe.skipIf(inject("engine") === "pglite")(
  "a database that becomes unavailable (PostgreSQL only: the embedded one ends with the process)",
  () => {
    let database: TestDatabase;
    let proxy: Proxy;
    let server: TestServer;
    beforeAll(async () => {
      database = await createDatabase();
      proxy = await openProxy(database.url!);
      server = await startServer({ ...database, url: proxy.url }, { statementMs: 1_500 });
    });
    afterAll(async () => {
      await server.close();
      await proxy.close();
      await database.drop();
    });

    test("gives 503 with Retry-After, and works again without a restart when it is back", async () => {
      const acme = await createWorkspace(server);
      const key = await createKey(server, acme.owner);
      expect((await server.call("/v1/members", { headers: key.auth })).status).toBe(200);
      proxy.cut();
      for (const [path, options] of [
        ["/v1/members", { headers: key.auth }],
        ["/v1/organizations", { headers: acme.owner.auth, body: { name: "Later" } }],
        [
          "/v1/organizations",
          { headers: { ...acme.owner.auth, "idempotency-key": "k" }, body: { name: "Later" } },
        ],
        ["/api/auth/sign-in/email", { body: { email: acme.owner.email, password: acme.owner.password } }],
        ["/api/auth/sign-up/email", { body: { email: "x@example.com", password: "12345678", name: "X" } }],
        ["/api/auth/verify-email?token=x", {}],
      ] as const) {
        const reply = await server.call(path, options);
        expect({ path, ...reply }).toMatchObject({
          path,
          status: 503,
          body: { error: "service_unavailable" },
        });
        expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
        expectUsualHeaders(reply);
      }
      expect(await server.call("/health")).toMatchObject({ status: 200 });
      expect(await server.call("/ready")).toMatchObject({
        status: 503,
        body: { status: "not_ready", checks: { database: "failing" } },
      });
      proxy.heal();
      await expect
        .poll(async () => (await server.call("/v1/members", { headers: key.auth })).status, {
          timeout: 10_000,
        })
        .toBe(200);
      await expect.poll(async () => (await server.call("/ready")).status).toBe(200);
    });

    test("that does not answer gives 503, and works again when it answers", async () => {
      const acme = await createWorkspace(server);
      proxy.stall();
      const calls = Array.from({ length: 12 }, (_, i) =>
        i % 2
          ? server.call("/v1/members", { headers: acme.owner.auth })
          : server.call("/v1/organizations", { headers: acme.owner.auth, body: { name: "Silence" } }),
      );
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([503]));
      proxy.cut();
      proxy.heal();
      await expect
        .poll(async () => (await server.call("/v1/members", { headers: acme.owner.auth })).status, {
          timeout: 10_000,
        })
        .toBe(200);
    });

    test("that stops answering before a rollback does not keep the caller waiting", async () => {
      const refused = server.platform.db.withOptions({ work: "change" }).transaction(async (tx) => {
        await tx.run(sql`select 1`);
        proxy.stall();
        throw new Error("The rule was broken.");
      });
      let hasEnded = false;
      const late = setTimeout(() => {
        hasEnded = true;
        proxy.cut();
      }, 15_000);
      await expect(refused).rejects.toThrow("The rule was broken.");
      expect(hasEnded, "only the end of the connection ended the wait").toBe(false);
      clearTimeout(late);
      proxy.cut();
      proxy.heal();
    });

    test("in the middle of a request gives 503", async () => {
      const acme = await createWorkspace(server);
      const calls = Array.from({ length: 20 }, (_, i) =>
        server.call("/v1/organizations", { headers: acme.owner.auth, body: { name: `Org ${i}` } }),
      );
      setTimeout(() => proxy.cut(), 5);
      const statuses = new Set((await Promise.all(calls)).map(({ status }) => status));
      proxy.heal();
      expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    });
  },
);

interface Proxy {
  url: string;
  /** Takes everything and passes nothing on. */
  stall(): void;
  cut(): void;
  heal(): void;
  close(): Promise<void>;
}

/** Stands between the server and its database, and can fall over. */
async function openProxy(target: string): Promise<Proxy> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let whole = true;
  let stalled = false;
  const server: Server = createServer((from) => {
    from.on("error", () => {});
    if (!whole) return void from.destroy();
    if (stalled) {
      sockets.add(from);
      from.on("close", () => sockets.delete(from)).resume();
      return;
    }
    const onward = connect(Number(to.port || 5432), to.hostname);
    for (const [a, b] of [
      [from, onward],
      [onward, from],
    ] as const) {
      sockets.add(a);
      a.on("error", () => b.destroy());
      a.on("close", () => {
        sockets.delete(a);
        b.destroy();
      });
      a.pipe(b);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const cut = () => {
    whole = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: Object.assign(new URL(target), { hostname: "127.0.0.1", port: String(port) }).href,
    stall: () => {
      stalled = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    cut,
    heal: () => {
      whole = true;
      stalled = false;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
