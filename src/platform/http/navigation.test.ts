import { describe, expect, test } from "vitest";
import { isNavigation } from "./navigation.ts";

describe("a navigation", () => {
  test.each([
    ["a browser", { "sec-fetch-mode": "navigate" }],
    ["Firefox on plain http", { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }],
    ["a client that accepts only a page", { accept: "text/html" }],
    ["any text preferred to the rest", { accept: "text/*, */*;q=0.1" }],
    ["upper case", { accept: "TEXT/HTML" }],
    ["JSON as second choice", { accept: "application/json;q=0.5, text/html;q=0.6" }],
  ])("is %s", (_, headers) => {
    expect(isNavigation(headers)).toBe(true);
  });

  test.each([
    ["a request without accept", {}],
    ["curl and fetch", { accept: "*/*" }],
    ["a program", { accept: "application/json" }],
    ["axios", { accept: "application/json, text/plain, */*" }],
    ["both with the same weight", { accept: "text/html, application/json" }],
    ["JSON as first choice", { accept: "text/html;q=0.8, application/json" }],
    ["no page at all", { accept: "text/html;q=0, */*" }],
    ["an invalid weight", { accept: "text/html;q=much" }],
    ["fetch in a page", { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", accept: "*/*" }],
    ["an API key", { "x-api-key": "sbx_x", accept: "text/html", "sec-fetch-mode": "navigate" }],
  ])("is not %s", (_, headers) => {
    expect(isNavigation(headers)).toBe(false);
  });
});
