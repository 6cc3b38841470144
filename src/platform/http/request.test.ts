import { describe, expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { parseRequest } from "./request.ts";

const exchange = {} as Exchange;
const request = (target: string, host: string | undefined = "x") =>
  parseRequest({ method: "GET", target, headers: { host } }, exchange);
const split = (target: string) => {
  const made = request(target);
  return made && [made.path, made.search];
};

describe("a request target", () => {
  test.each([
    ["/", "/", ""],
    ["/v1/me", "/v1/me", ""],
    ["/v1/me?a=1&b=%20?", "/v1/me", "a=1&b=%20?"],
    ["/v1/me?", "/v1/me", ""],
    ["//other.example/v1/me", "//other.example/v1/me", ""],
    ["/v1/../admin", "/admin", ""],
    ["/v1/%2e%2e/admin", "/admin", ""],
    ["/v1/.?a=/../", "/v1/", "a=/../"],
    ["/v1/a..b/...", "/v1/a..b/...", ""],
    ["/v1/ü", "/v1/%C3%BC", ""],
    ["/v1/me?path=c:\\temp", "/v1/me", "path=c:\\temp"],
    ["/v1/me#part", "/v1/me", ""],
    ["http://x/v1/me?a=1", "/v1/me", "a=1"],
    ["HTTP://x", "/", ""],
  ])("%s is split into path and query", (url, path, search) => {
    expect(split(url)).toEqual([path, search]);
  });

  test.each(["", "*", "v1/me", "ftp://x/", "javascript:alert(1)", "http://", "/v1\\me", "http://x\\@y/"])(
    "%j is invalid",
    (url) => {
      expect(split(url)).toBeUndefined();
    },
  );
});

describe("a Host header", () => {
  test.each(["x", "x.example.com:8080", "127.0.0.1:80", "[::1]", "[::1]:3000", "X.Example", "x:80", "a_b"])(
    "%s is valid",
    (host) => expect(request("/", host)).toBeDefined(),
  );

  test.each(["", "x/y", "x?y", "x#y", "user@x", "x y", "x:99999", "x:y", "[::1", "x\\y"])(
    "%j is not valid",
    (host) => expect(request("/", host)).toBeUndefined(),
  );

  test("is required", () => {
    expect(parseRequest({ method: "GET", target: "/", headers: {} }, exchange)).toBeUndefined();
  });
});
