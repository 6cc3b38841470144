import { expect, test } from "vitest";
import { createQuery, describeAction, formatState } from "./query.ts";

test("days of the address become times, and the last day is included", () => {
  const { from, to } = createQuery({ from: "2026-11-16", to: "2026-11-16" });
  expect(new Date(from!).getHours()).toBe(0);
  expect(to).toBe(new Date(2026, 10, 17).getTime());
  expect(createQuery({ from: "yesterday", to: "" })).toEqual({});
});

test("only given filters are sent", () => {
  expect(createQuery({ action: "member", actorId: undefined, edit: "1" })).toEqual({ action: "member" });
});

test("an action reads as words, and a state as one field a line", () => {
  expect(describeAction("api_key.created")).toBe("API key created");
  expect(formatState({ name: "Ada", roles: [] })).toBe('name: "Ada"\nroles: []');
  expect(formatState(null)).toBe("");
});
