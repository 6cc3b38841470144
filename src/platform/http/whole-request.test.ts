import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseWholeRequest } from "./whole-request.ts";

const parse = (request: string) => parseWholeRequest(Buffer.from(request, "latin1"));
const get = (headers: string) => `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe("a request in one piece", () => {
  test("is read with its headers in lower case, without the spaces around their values", () => {
    const whole = parse("PUT /v1/me?a=%20 HTTP/1.1\r\nHost:x\r\nX-Odd:  a: b  \r\nX-Empty:\r\n\r\n");
    expect(whole).toEqual({
      method: "PUT",
      target: "/v1/me?a=%20",
      headers: { host: "x", "x-odd": "a: b", "x-empty": "" },
      body: Buffer.alloc(0),
    });
  });

  test("may have a body of the announced length", () => {
    expect(parse(`${get("Content-Length: 5\r\n")}hello`)?.body.toString()).toBe("hello");
  });

  test.each([
    ["no end", "GET / HTTP/1.1\r\nHost: x\r\n"],
    ["a body that is not complete", `${get("Content-Length: 5\r\n")}hell`],
    ["a second request", get("") + get("")],
    ["a body without a length", `${get("")}hello`],
    ["a length that is not a number", `${get("Content-Length: +5\r\n")}hello`],
    ["two lengths", `${get("Content-Length: 5\r\nContent-Length: 5\r\n")}hello`],
    ["chunks", `${get("Transfer-Encoding: chunked\r\n")}0\r\n\r\n`],
    ["chunks and a length", `${get("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")}0\r\n\r\n`],
    ["an expectation", get("Expect: 100-continue\r\n")],
    ["an upgrade", get("Upgrade: websocket\r\n")],
    ["a connection that ends", get("Connection: close\r\n")],
    ["a connection with more options", get("Connection: keep-alive, upgrade\r\n")],
    ["a header twice", get("X-A: 1\r\nx-a: 2\r\n")],
    ["a name of every object", get("constructor: 1\r\n")],
    ["a name with another character", get("__proto__: 1\r\n")],
    ["a space after a name", get("X-A : 1\r\n")],
    ["a folded line", get("X-A: 1\r\n 2\r\n")],
    ["a line break that is only LF", get("X-A: 1\nX-B: 2\r\n")],
    ["a line break that is only CR", get("X-A: 1\rX-B: 2\r\n")],
    ["a NUL", get("X-A: \0\r\n")],
    ["a tab", get("X-A: a\tb\r\n")],
    ["a character that is not ASCII", get("X-A: ü\r\n")],
    ["no headers", "GET / HTTP/1.1\r\n\r\n"],
    ["another version", "GET / HTTP/1.0\r\nHost: x\r\n\r\n"],
    ["another method", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["an absolute target", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a target with a backslash", "GET /a\\b HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["an empty line first", `\r\n${get("")}`],
    ["large headers", get(`X-A: ${"a".repeat(9_000)}\r\n`)],
  ])("is left to Node when it has %s", (_name, request) => {
    expect(parse(request)).toBeUndefined();
  });
});

describe("a request that is read here", () => {
  const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  /** Returns the requests that Node reads from these bytes. */
  async function readByNode(request: string) {
    const seen: unknown[] = [];
    const take = async (incoming: IncomingMessage, response: { end(): void }) => {
      const { method, url, headers } = incoming;
      const one = { method, target: url, headers, body: "" };
      seen.push(one);
      one.body = await text(incoming);
      response.end();
    };
    server.removeAllListeners("request").on("request", take);
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(request, "latin1");
    // It is answered after everything before it, so nothing more follows.
    socket.write("GET /last HTTP/1.1\r\nConnection: close\r\n\r\n");
    await new Promise((resolve) => socket.resume().once("close", resolve));
    return seen.slice(0, -1);
  }

  const char = fc.constantFrom(...'ab:/.%?#-_ \t\r\n\0ü,;="\\<{|^`~');
  const word = fc.string({ unit: char, maxLength: 6 });
  const line = fc.oneof(
    fc.tuple(
      fc.constantFrom("X-A", "x-b", "Host", "TE", "Keep-Alive", "Cookie", "Content-Type", "Date"),
      word,
    ),
    fc.tuple(
      fc.constantFrom("Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Expect", "Trailer"),
      fc.constantFrom(
        "keep-alive",
        "Keep-Alive",
        "close",
        "0",
        "2",
        "02",
        "+2",
        "chunked",
        "2, 2",
        "h2c",
        "",
      ),
    ),
  );
  const request = fc
    .record({
      method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "get", "OPTIONS"),
      target: word,
      version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "http/1.1"),
      space: fc.constantFrom("", " ", "  ", "\t"),
      lines: fc.array(line, { maxLength: 4 }),
      body: fc.constantFrom("", "", "{}", "ab", "GET / HTTP/1.1\r\n\r\n"),
    })
    .map(({ method, target, version, space, lines, body }) => {
      const headers = lines.map(([name, value]) => `${name}:${space}${value}\r\n`).join("");
      return `${method} /${target} ${version}\r\nAccept: */*\r\n${headers}\r\n${body}`;
    });

  test("is the only one that Node reads, and Node reads it in the same way", async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        const whole = parse(sent);
        if (!whole) return;
        accepted++;
        expect(await readByNode(sent)).toEqual([{ ...whole, body: whole.body.toString("latin1") }]);
      }),
      { numRuns: 20_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});
