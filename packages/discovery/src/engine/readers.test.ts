import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTIES } from "../../../../test/fixtures/discovery-properties.ts";
import { createAddress, redactUrl } from "./address.ts";
import { readJson, readJsonPrefix } from "./json.ts";
import { listServerMetadataUrls } from "./steps/authorization-servers.ts";
import { compareResource, listResourceMetadataUrls } from "./steps/resource-metadata.ts";
import { readChallenges } from "./transport/challenge.ts";
import { createSseReader } from "./transport/sse.ts";

describe("a property of every input", () => {
  test.each(PROPERTIES.map((property) => [property.name, property] as const))("%s", (_, { property }) => {
    fc.assert(property, { numRuns: 1500, seed: 20261115 });
  });
});

describe("WWW-Authenticate", () => {
  test.each([
    ['Bearer realm="x"', [{ scheme: "bearer", params: { realm: "x" } }]],
    ["Negotiate", [{ scheme: "negotiate", params: {} }]],
    [
      "Negotiate a87421000492aa874209af8bc028==",
      [{ scheme: "negotiate", token68: "a87421000492aa874209af8bc028==", params: {} }],
    ],
    [
      'Negotiate YWJj, Bearer realm="x"',
      [
        { scheme: "negotiate", token68: "YWJj", params: {} },
        { scheme: "bearer", params: { realm: "x" } },
      ],
    ],
    [
      'Basic realm="a, Bearer b=\\"c\\"", Bearer',
      [
        { scheme: "basic", params: { realm: 'a, Bearer b="c"' } },
        { scheme: "bearer", params: {} },
      ],
    ],
    ['BEARER Resource_Metadata \t= "x"', [{ scheme: "bearer", params: { resource_metadata: "x" } }]],
    ["Bearer scope=a", [{ scheme: "bearer", params: { scope: "a" } }]],
    [",, ,Bearer ,a=1,,b=2,", [{ scheme: "bearer", params: { a: "1", b: "2" } }]],
    ['Bearer a="1" b="2"', [{ scheme: "bearer", params: { a: "1", b: "2" } }]],
    ['Bearer a="1"; b="2"', [{ scheme: "bearer", params: { a: "1", b: "2" } }]],
    [
      "Bearer resource_metadata=https://h/x?y=1&z=2",
      [{ scheme: "bearer", params: { resource_metadata: "https://h/x?y=1&z=2" } }],
    ],
    ['Bearer a="never closed', [{ scheme: "bearer", params: { a: "never closed" } }]],
    ['realm="no scheme", Bearer a=1', [{ scheme: "bearer", params: { a: "1" } }]],
    ["Bearer a=1, a=2", [{ scheme: "bearer", params: { a: "1" } }]],
    ["", []],
  ])("%s", (field, challenges) => {
    expect(readChallenges([field]).list).toEqual(challenges);
  });

  test("the challenge that names metadata is preferred, then Bearer, then DPoP", () => {
    const pick = (...fields: string[]) => readChallenges(fields).token;
    expect(pick("Bearer a=1", 'DPoP resource_metadata="x"')?.scheme).toBe("dpop");
    expect(pick("DPoP a=1", "Bearer b=1")?.scheme).toBe("bearer");
    expect(pick("Basic a=1")).toBeUndefined();
    expect(readChallenges(['Bearer scope=" a  b a \u00e9 "']).scopes).toEqual(["a", "b"]);
  });

  test("a hostile field of 32 KB is parsed quickly", () => {
    const started = performance.now();
    for (const piece of ["a ", "a=", '"', "\\", 'a="\\"', "a,", "=", "a  ", "A=B "])
      readChallenges([piece.repeat(32_768 / piece.length)]);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("event streams", () => {
  test("a megabyte that is sent byte by byte is parsed quickly", () => {
    const reader = createSseReader();
    const started = performance.now();
    const byte = Buffer.from("x");
    for (let n = 0; n < 1024 * 1024; n += 1) reader.push(byte);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("only the first byte order mark is dropped, even when it arrives alone", () => {
    const reader = createSseReader();
    const mark = Buffer.from("\uFEFF");
    expect([
      ...reader.push(mark),
      ...reader.push(mark),
      ...reader.push(Buffer.from("data: x\n\ndata: y\n\n")),
    ]).toEqual([{ event: "message", data: "y" }]);
  });

  test("fields, comments, names without a colon and one optional space are parsed", () => {
    const reader = createSseReader();
    const text =
      ":c\nevent: endpoint\ndata:  two\ndata\nid: 1\nretry: 2\nother: x\n\nevent: none\n\ndata: last";
    expect([...reader.push(Buffer.from(text)), ...reader.end()]).toEqual([
      { event: "endpoint", data: " two\n" },
      { event: "message", data: "last" },
    ]);
  });
});

describe("JSON from outside", () => {
  test("deep nesting is refused before it is parsed", () => {
    expect(readJson("[".repeat(500_000))).toEqual({ ok: false, why: "too_deep" });
    expect(readJsonPrefix('{"a":'.repeat(500_000))).toEqual({ ok: false, why: "too_deep" });
    expect(readJson(`"${"[".repeat(500)}"`).ok).toBe(true);
  });

  test("a megabyte of backslashes and quotes is scanned quickly", () => {
    const started = performance.now();
    readJson('"'.repeat(1024 * 1024));
    readJson(`"${"\\".repeat(1024 * 1024)}`);
    readJson(`"${'\\"'.repeat(512 * 1024)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("addresses", () => {
  test.each([
    ["https://h/mcp", "exact"],
    ["HTTPS://H:443/mcp", "exact"],
    ["https://h/mcp/", "trailing_slash"],
    ["https://h", "parent"],
    ["https://h/", "parent"],
    ["https://h/mc", "same_origin"],
    ["https://h/mcp/deeper", "same_origin"],
    ["https://h/MCP", "same_origin"],
    ["https://h/mcp?x=1", "query"],
    ["http://h/mcp", "foreign"],
    ["https://h:8443/mcp", "foreign"],
    ["https://h.evil.example/mcp", "foreign"],
    ["https://h@evil.example/mcp", "foreign"],
    ["urn:x", "foreign"],
    ["", "foreign"],
  ])("the resource %s for https://h/mcp is %s", (resource, match) => {
    expect(compareResource(resource, createAddress("https://h/mcp"))).toBe(match);
  });

  test("resource metadata is looked for at the path, then at the root", () => {
    const places = (url: string) => listResourceMetadataUrls(createAddress(url)).map(({ href }) => href);
    const well = "https://h/.well-known/oauth-protected-resource";
    expect(places("https://h/mcp")).toEqual([`${well}/mcp`, well]);
    expect(places("https://h/a/mcp/?x=1")).toEqual([`${well}/a/mcp/?x=1`, `${well}/a/mcp?x=1`, well]);
    expect(places("https://h/")).toEqual([well]);
  });

  test("server metadata is never looked for at the root of an issuer that has a path", () => {
    const places = (url: string) => listServerMetadataUrls(createAddress(url)).map(({ href }) => href);
    expect(places("https://h")).toEqual([
      "https://h/.well-known/oauth-authorization-server",
      "https://h/.well-known/openid-configuration",
    ]);
    expect(places("https://h/t/v2.0/")).toEqual([
      "https://h/.well-known/oauth-authorization-server/t/v2.0",
      "https://h/.well-known/openid-configuration/t/v2.0",
      "https://h/t/v2.0/.well-known/openid-configuration",
    ]);
  });

  test("text that looks like a credential is hidden, and the rest of an address is shown", () => {
    expect(redactUrl("https://u:p@h/a?tenant=acme&sig=abc&q=Zm9vYmFyMTIzNDU2Nzg5MDEy")).toBe(
      "https://h/a?tenant=acme&sig=[redacted]&q=[redacted]",
    );
    expect(redactUrl("https://h/s/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b/mcp")).toBe(
      "https://h/s/[redacted]/mcp",
    );
    expect(redactUrl("https://login/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0")).toBe(
      "https://login/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0",
    );
    expect(redactUrl("https://as.example")).toBe("https://as.example");
    expect(redactUrl("https://h/docs/a%20guide%20to%20version%202?q=a/b%20c")).toBe(
      "https://h/docs/a%20guide%20to%20version%202?q=a/b%20c",
    );
    expect(redactUrl("nonsense")).toBe("(not a URL)");
  });

  test.each([
    [
      "with percent-encoding",
      "https://h/s/Zm9vYmFyMTIzNDU2Nzg5MDEyZm9vYmFyMTI%3D/mcp",
      "https://h/s/[redacted]/mcp",
    ],
    [
      "with an encoded slash",
      "https://h/s/Zm9vYmFyMTIzNDU2Nzg5%2FMDEyZm9vYmFyMTI/mcp",
      "https://h/s/[redacted]/mcp",
    ],
    [
      "with a colon",
      "https://h/bot1234567890:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K/mcp",
      "https://h/[redacted]/mcp",
    ],
    [
      "in place of a parameter",
      "https://h/mcp?a=1&Zm9vYmFyMTIzNDU2Nzg5MDEy",
      "https://h/mcp?a=1&[redacted]=",
    ],
  ])("a credential %s is hidden", (_how, url, shown) => {
    expect(redactUrl(url)).toBe(shown);
  });
});
