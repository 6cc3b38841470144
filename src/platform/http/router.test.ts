import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRouter } from "./router.ts";

const router = createRouter(
  [
    "GET /v1/runs",
    "POST /v1/runs",
    "GET /v1/runs/{id}",
    "PATCH /v1/runs/{id}",
    "GET /v1/runs/mine",
    "GET /v1/runs/{runId}/events",
    "GET /v1/runs/mine/{page}",
    "DELETE /v1/{room}/{id}/events",
  ].map((route) => {
    const [method, path] = route.split(" ") as [string, string];
    return { method, path, value: route };
  }),
);

describe("the router", () => {
  test.each([
    ["GET", "/v1/runs", "GET /v1/runs", {}],
    ["GET", "/v1/runs/a", "GET /v1/runs/{id}", { id: "a" }],
    ["GET", "/v1/runs/mine", "GET /v1/runs/mine", {}],
    // What is named for another method does not hide what takes anything.
    ["PATCH", "/v1/runs/mine", "PATCH /v1/runs/{id}", { id: "mine" }],
    ["GET", "/v1/runs/mine/events", "GET /v1/runs/mine/{page}", { page: "events" }],
    ["GET", "/v1/runs/a/events", "GET /v1/runs/{runId}/events", { runId: "a" }],
    ["DELETE", "/v1/runs/a/events", "DELETE /v1/{room}/{id}/events", { room: "runs", id: "a" }],
    // Decoded once, and a slash that was encoded stays in its segment.
    ["GET", "/v1/runs/a%2Fb%2561", "GET /v1/runs/{id}", { id: "a/b%61" }],
    ["GET", "/v1/runs/%zz", "GET /v1/runs/{id}", { id: "%zz" }],
    ["GET", "/v1/%72uns", "GET /v1/runs", {}],
  ])("%s %s matches %s", (method, path, value, params) => {
    expect(router.find(method, path)).toEqual({ value, params });
  });

  test.each(["/v1/runs/", "/v1", "/", "", "//v1/runs", "/v1/runs/a/events/", "/v1//events", "/V1/runs"])(
    "%s matches no route",
    (path) => {
      expect(router.find("GET", path)).toBeUndefined();
      expect(router.methodsAt(path)).toEqual([]);
    },
  );

  test("lists the methods of a path", () => {
    expect(router.methodsAt("/v1/runs")).toEqual(["GET", "POST"]);
    expect(router.methodsAt("/v1/runs/mine").sort()).toEqual(["GET", "PATCH"]);
    expect(router.methodsAt("/v1/runs/mine/events").sort()).toEqual(["DELETE", "GET"]);
  });

  test("keeps the first of two routes for the same path", () => {
    const twice = createRouter([
      { method: "GET", path: "/a/{one}", value: 1 },
      { method: "GET", path: "/a/{two}", value: 2 },
    ]);
    expect(twice.find("GET", "/a/b")).toEqual({ value: 1, params: { one: "b" } });
  });

  test("matches a path that ends with {*} and everything below it that has no route", () => {
    const mounted = createRouter([
      { method: "GET", path: "/m/{*}", value: "m" },
      { method: "POST", path: "/m/{*}", value: "m" },
      { method: "GET", path: "/m/own", value: "own" },
      { method: "GET", path: "/m/{id}/part", value: "part" },
      { method: "GET", path: "/m/deep/{*}", value: "deep" },
    ]);
    const find = (method: string, path: string) => {
      const found = mounted.find(method, path);
      return found && [found.value, found.params["*"]];
    };
    expect(find("GET", "/m")).toEqual(["m", ""]);
    expect(find("GET", "/m/")).toEqual(["m", ""]);
    expect(find("GET", "/m/a/b%2Fc/")).toEqual(["m", "a/b%2Fc/"]);
    expect(find("GET", "/m/own")).toEqual(["own", undefined]);
    expect(find("POST", "/m/own")).toEqual(["m", "own"]);
    expect(find("GET", "/m/1/part")).toEqual(["part", undefined]);
    expect(find("GET", "/m/deep/x")).toEqual(["deep", "x"]);
    expect(find("POST", "/m/deep/x")).toEqual(["m", "deep/x"]);
    expect(find("GET", "/mm")).toBeUndefined();
    expect(find("DELETE", "/m/a")).toBeUndefined();
    expect(mounted.methodsAt("/m/a").sort()).toEqual(["GET", "POST"]);
    expect(mounted.methodsAt("/")).toEqual([]);
  });

  test("decodes every path segment, whatever characters it has", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (id) => {
        fc.pre(id.isWellFormed() && id !== "mine");
        expect(router.find("GET", `/v1/runs/${encodeURIComponent(id)}`)).toEqual({
          value: "GET /v1/runs/{id}",
          params: { id },
        });
      }),
    );
  });

  test("treats names of JavaScript properties as ordinary names", () => {
    const odd = createRouter([{ method: "GET", path: "/{id}/__proto__", value: 1 }]);
    expect(odd.find("GET", "/constructor/__proto__")).toEqual({ value: 1, params: { id: "constructor" } });
    expect(odd.find("GET", "/constructor/toString")).toBeUndefined();
    expect(odd.find("constructor", "/a/__proto__")).toBeUndefined();
  });
});
