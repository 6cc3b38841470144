import { expect, test } from "vitest";
import { isSameRecord } from "./queries.ts";

test("what is shown stays while a filter changes, and goes when another record is opened", () => {
  const key = ["org_1", "GET /v1/teams/{id}/members", { path: { id: "team_1" }, query: { q: "a" } }];
  expect(isSameRecord(key, { path: { id: "team_1" }, query: { q: "ab" } })).toBe(true);
  expect(isSameRecord(key, { path: { id: "team_2" }, query: { q: "a" } })).toBe(false);
  expect(isSameRecord(["org_1", "GET /v1/teams", { query: {} }], { query: { q: "a" } })).toBe(true);
  expect(isSameRecord(undefined, {})).toBe(false);
});
