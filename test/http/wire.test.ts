/** Raw requests on a socket: the host, unusual framing, and credentials that must not be logged. */
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newToken } from "../../src/platform/secrets.ts";
import { createKey, createWorkspace, useServer, type Workspace } from "../harness.ts";
import { recordStatements } from "../plans.ts";
import { sendRaw } from "../raw.ts";

const get = (path: string, headers = "", host = "localhost") =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;

describe("a request that asks for another protocol", () => {
  const server = useServer();
  const next = get("/version", "Connection: close\r\n");

  test.each([
    ["websocket", "Connection: Upgrade\r\nUpgrade: websocket\r\n"],
    ["h2c", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n"],
    ["an unknown protocol with keep-alive", "Connection: keep-alive, Upgrade\r\nUpgrade: x/9\r\n"],
    ["websocket without Connection: Upgrade", "Upgrade: websocket\r\n"],
  ])("%s gets its answer, and the client knows whether the next request was answered", async (_, headers) => {
    const { replies, closed } = await sendRaw(server.url, [get("/health", headers) + next], {
      waitMs: 2_000,
    });
    expect(replies[0]).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    // Either the second request is answered, or the reply says that the connection closes.
    expect(closed).toBe(true);
    if (replies.length > 1) expect(replies[1]!.body).toContain('"signalbox"');
    else expect(replies[0]!.headers.connection).toBe("close");
  });

  test("the body of a request with Upgrade is read as a body", async () => {
    const body = '{"email":"a@example.com","password":"wrong password"}';
    const head = `POST /api/auth/sign-in/email HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { replies, closed } = await sendRaw(server.url, [head + body + next], { waitMs: 5_000 });
    expect(replies[0]?.status).toBe(401);
    expect(closed).toBe(true);
  });
});

describe("the host of a request to an instance that only this machine reaches", () => {
  const server = useServer();
  const status = async (host: string) =>
    (await sendRaw(server.url, [get("/health", "Connection: close\r\n", host)])).replies[0]?.status;

  test.each([
    "localhost",
    "localhost:1",
    "LOCALHOST:8787",
    "localhost.",
    "app.localhost:3000",
    "127.0.0.1",
    "127.0.0.1:9999",
    "127.8.9.1",
    "[::1]",
    "[::1]:8787",
  ])("%s is accepted", async (host) => expect(await status(host)).toBe(200));

  test.each([
    "evil.example",
    "evil.example:8787",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "192.0.2.7",
    "0.0.0.0",
    "[2001:db8::1]:8787",
    "localhos",
    "notlocalhost",
  ])("%s is refused with 421", async (host) => {
    const { replies } = await sendRaw(server.url, [get("/v1/me", "Connection: close\r\n", host)]);
    expect(replies[0]?.status).toBe(421);
    expect(JSON.parse(replies[0]!.body)).toEqual({
      error: "misdirected_request",
      message: expect.stringContaining("PUBLIC_URL"),
    });
  });

  test.each([
    "X-Forwarded-For: 192.0.2.7",
    "X-Forwarded-Host: signalbox.example.com",
    "X-Forwarded-Proto: https",
    "X-Real-IP: 192.0.2.7",
    "Forwarded: for=192.0.2.7",
    "Via: 1.1 proxy",
    "CF-Connecting-IP: 192.0.2.7",
    "True-Client-IP: 192.0.2.7",
    "X-Client-IP: 192.0.2.7",
    "X-Forwarded-For: 127.0.0.1",
    "Via:",
  ])("is refused when a proxy has added %s", async (header) => {
    // The host that a proxy sends when it rewrites Host, as nginx does by default.
    const asked = ["/v1/me", "/health", "/metrics", "/nowhere"].map((path) =>
      get(path, `${header}\r\nConnection: close\r\n`, "127.0.0.1:8787"),
    );
    for (const request of asked) {
      const { replies } = await sendRaw(server.url, [request]);
      expect(replies[0]?.status).toBe(421);
      expect(JSON.parse(replies[0]!.body)).toEqual({
        error: "misdirected_request",
        message: expect.stringMatching(
          new RegExp(`header ${header.split(":")[0]}\\b.*PUBLIC_URL.*TRUSTED_PROXIES`, "is"),
        ),
      });
    }
  });

  test("an absolute target that names another host than the header is refused", async () => {
    const odd = "GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    expect((await sendRaw(server.url, [odd])).replies[0]?.status).toBe(400);
    const same = "GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    expect((await sendRaw(server.url, [same])).replies[0]?.status).toBe(200);
  });
});

describe("the host of a request to any other instance", () => {
  const server = useServer({ env: { PUBLIC_URL: "https://signalbox.example.com" } });
  test("is not checked: probes and proxies use their own host names", async () => {
    for (const host of ["signalbox.example.com", "10.0.0.7:8787", "service.internal"]) {
      for (const header of ["", "X-Forwarded-For: 192.0.2.7\r\n", "Via: 1.1 proxy\r\n"]) {
        const { replies } = await sendRaw(server.url, [
          get("/health", `${header}Connection: close\r\n`, host),
        ]);
        expect(replies[0]?.status).toBe(200);
      }
    }
  });
});

describe("a credential", () => {
  const server = useServer({ env: { LOG_LEVEL: "trace" } });
  let acme: Workspace;
  let key: string;
  beforeAll(async () => {
    acme = await createWorkspace(server);
    key = (await createKey(server, acme.owner)).key;
  });

  /** The statements with which the server looks a credential up, learned from well-formed ones that do not exist. */
  async function lookupStatements(): Promise<Set<string>> {
    const unknown: Record<string, string>[] = [
      { authorization: `Bearer ${newToken("")}` },
      { "x-api-key": newToken("sbx_") },
    ];
    const statements = await recordStatements(server.engine, async () => {
      for (const headers of unknown) expect((await server.call("/v1/me", { headers })).status).toBe(401);
    });
    const texts = new Set(statements.map(({ text }) => text).filter((text) => /^\s*select\b/.test(text)));
    expect(texts.size).toBeGreaterThanOrEqual(2);
    return texts;
  }

  async function lookupsDuring(work: () => Promise<void>): Promise<string[]> {
    const lookups = await lookupStatements();
    const statements = await recordStatements(server.engine, work);
    return statements.map(({ text }) => text).filter((text) => lookups.has(text));
  }

  test("with control or non-ASCII characters is refused without a query, and is in no line of the log", async () => {
    const before = server.logLines.length;
    const lookups = await lookupsDuring(async () => {
      for (const odd of ["\u0001", "\t", "\u007f", "\u00e9", "\u009b31m", "\u2028"]) {
        const planted = `planted${odd}secret`;
        for (const header of [
          `authorization: Bearer ${planted}`,
          `authorization: Bearer ${acme.owner.token}${odd}x`,
          `x-api-key: ${planted}`,
          `x-api-key: ${key.slice(0, -1)}${odd}`,
          `x-api-key: ${key}${odd}x`,
        ]) {
          const bytes = Buffer.from(get("/v1/me", `${header}\r\nConnection: close\r\n`), "utf8");
          const { replies } = await sendRaw(server.url, [bytes]);
          // The HTTP parser refuses some of them with 400.
          expect([400, 401], header).toContain(replies[0]?.status);
          if (replies[0]?.status === 401) expect(replies[0].body).toBe('{"error":"unauthorized"}');
          expect(JSON.stringify(replies)).not.toContain("seeded");
        }
      }
    });
    expect(lookups).toEqual([]);
    const log = server.logLines.slice(before).join("");
    for (const secret of ["seeded", acme.owner.token, key.slice(0, 20)]) expect(log).not.toContain(secret);
  });

  test("that is too long is refused without a query", async () => {
    const lookups = await lookupsDuring(async () => {
      const headers = { authorization: `Bearer ${"x".repeat(5_000)}` };
      expect((await server.call("/v1/me", { headers })).status).toBe(401);
    });
    expect(lookups).toEqual([]);
  });
});

describe("a query string", () => {
  const server = useServer();
  const call = (query: string) => server.call(`/v1/organizations?${query}`);
  let auth: { authorization: string };
  beforeAll(async () => {
    auth = (await createWorkspace(server)).owner.auth;
  });

  test.each([
    ["with thousands of equal parameters", "limit=1&".repeat(3_000)],
    ["with thousands of parameters", Array.from({ length: 3_000 }, (_, i) => `p${i}=1`).join("&")],
    ["with only separators", "&".repeat(20_000)],
    ["with one very long value", `cursor=${"x".repeat(20_000)}`],
    ["with one very long name", `${"x".repeat(20_000)}=1`],
  ])("%s is refused with a short reply", async (_, query) => {
    const reply = await server.call(`/v1/organizations?${query}`, { headers: auth });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toBe("invalid_request");
    expect(JSON.stringify(reply.body).length).toBeLessThan(1_000);
  });

  test("with a parameter given many times names it once", async () => {
    const reply = await server.call(`/v1/organizations?${"limit=1&".repeat(50)}`, { headers: auth });
    expect(reply.body.details).toEqual([{ message: expect.any(String), path: ["limit"] }]);
    expect((await call("limit=1")).status).toBe(401);
  });
});

describe("the address of a client", () => {
  const server = useServer();
  test("is logged even when it closes the connection at once", async () => {
    const { port } = new URL(server.url);
    const before = server.logLines.length;
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => {
          socket.write(get("/health"), () => socket.resetAndDestroy());
        });
        socket.on("error", () => {}).on("close", () => resolve());
      });
    }
    await server.call("/version");
    const lines = server.logLines.slice(before).filter((line) => line.includes('"getHealth"'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line).address).toBe("127.0.0.1");
  });
});

describe("compared with a plain node:http server", () => {
  const server = useServer();
  let plain: Server;
  let plainUrl: string;
  beforeAll(async () => {
    plain = createServer((request, response) => {
      request.resume().on("end", () => response.end(request.url));
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    plainUrl = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  });
  afterAll(() => void plain.close());

  const post = (headers: string, body: string) =>
    `POST /health HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${body}`;
  const last = get("/version", "Connection: close\r\n");
  /** A request inside a body. It must never be answered. */
  const hidden = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** `taken`: both requests are answered. `refused`: a 400, and the connection closes before the second request. */
  const cases: Record<string, { bytes: string; verdict: "taken" | "refused" }> = {
    "two requests in one packet": { bytes: get("/health") + last, verdict: "taken" },
    "a length": { bytes: post("Content-Length: 5\r\n", "hello") + last, verdict: "taken" },
    "a body that looks like a request": {
      bytes: post(`Content-Length: ${hidden.length}\r\n`, hidden) + last,
      verdict: "taken",
    },
    chunks: {
      bytes: post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n") + last,
      verdict: "taken",
    },
    "chunks with an extension and a trailer": {
      bytes: post("Transfer-Encoding: chunked\r\n", "5;a=b\r\nhello\r\n0\r\nX-T: 1\r\n\r\n") + last,
      verdict: "taken",
    },
    "a body of a GET": { bytes: `${get("/health", "Content-Length: 5\r\n")}hello${last}`, verdict: "taken" },
    "an absolute target": {
      bytes: `GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`,
      verdict: "taken",
    },
    "a line break before the request": { bytes: `\r\n${get("/health")}${last}`, verdict: "taken" },
    "length and chunks": {
      bytes: post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`) + last,
      verdict: "refused",
    },
    "chunks and length": {
      bytes: post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden}`) + last,
      verdict: "refused",
    },
    "two lengths that differ": {
      bytes: post("Content-Length: 0\r\nContent-Length: 5\r\n", "hello") + last,
      verdict: "refused",
    },
    "two equal lengths": {
      bytes: post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello") + last,
      verdict: "refused",
    },
    "a list of lengths": { bytes: post("Content-Length: 5, 5\r\n", "hello") + last, verdict: "refused" },
    "a length with a sign": { bytes: post("Content-Length: +5\r\n", "hello") + last, verdict: "refused" },
    "a length in hexadecimal": { bytes: post("Content-Length: 0x5\r\n", "hello") + last, verdict: "refused" },
    "an unknown transfer coding": {
      bytes: post("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${hidden}`) + last,
      verdict: "refused",
    },
    "chunks that are not the last coding": {
      bytes: post("Transfer-Encoding: chunked, identity\r\n", `0\r\n\r\n${hidden}`) + last,
      verdict: "refused",
    },
    "a chunk of the wrong size": {
      bytes: post("Transfer-Encoding: chunked\r\n", `3\r\nhello\r\n0\r\n\r\n`) + last,
      verdict: "refused",
    },
    "a chunk size that overflows": {
      bytes: post("Transfer-Encoding: chunked\r\n", `fffffffffffffffff\r\nhello\r\n0\r\n\r\n`) + last,
      verdict: "refused",
    },
    "a folded header line": {
      bytes: get("/health", "X-Folded: a\r\n Content-Length: 5\r\n") + last,
      verdict: "refused",
    },
    "a space before the colon": { bytes: post("Content-Length : 5\r\n", "hello") + last, verdict: "refused" },
    "a bare line feed at the end of a line": {
      bytes: `GET /health HTTP/1.1\nHost: localhost\n\n${last}`,
      verdict: "refused",
    },
    "a bare carriage return in a value": {
      bytes: get("/health", "X-A: b\rContent-Length: 5\r\n") + last,
      verdict: "refused",
    },
    "a NUL in a value": { bytes: get("/health", "X-A: b\0c\r\n") + last, verdict: "refused" },
  };

  test.each(Object.entries(cases))(
    "%s gets the same verdict, and no hidden request is answered",
    async (_, { bytes, verdict }) => {
      const [ours, theirs] = await Promise.all(
        [server.url, plainUrl].map((url) => sendRaw(url, [bytes], { waitMs: 2_000 })),
      );
      const statuses = ours!.replies.map(({ status }) => status).filter((status) => status !== 100);
      const judged = (one: typeof ours) =>
        one!.replies.some(({ status }) => status === 400) || one!.replies.length === 0 ? "refused" : "taken";
      if (verdict === "taken") {
        // /health does not allow POST. A 405 comes from the application, so the framing was understood.
        expect(statuses).toHaveLength(2);
        expect([200, 405]).toContain(statuses[0]);
        expect(statuses[1]).toBe(200);
      } else {
        expect(statuses.at(-1)).toBe(400);
        expect(ours!.replies.map(({ body }) => body).join()).not.toContain('"signalbox"');
        expect(ours!.closed).toBe(true);
      }
      expect(ours!.replies.map(({ body }) => body).join()).not.toContain('"openapi"');
      // We may be stricter than the plain server, but never more lenient.
      if (judged(theirs) === "refused") expect(verdict).toBe("refused");
    },
  );

  test("a refusal instead of 100-continue closes the connection, because the body may or may not follow", async () => {
    const bytes = post("Content-Length: 5\r\nExpect: 100-continue\r\n", "hello") + last;
    const { replies, closed } = await sendRaw(server.url, [bytes], { waitMs: 2_000 });
    expect(replies.map(({ status }) => status)).toEqual([405]);
    expect(closed).toBe(true);
  });
});
