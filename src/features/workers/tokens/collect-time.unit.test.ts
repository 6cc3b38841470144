import { expect, test } from "vitest";
import { createCollectTime } from "./collect-time.ts";

test("items wait for others only while there are many in a second", () => {
  let now = 0;
  const collect = createCollectTime(1_000, () => now);
  for (let i = 0; i < 19; i++) collect.note();
  expect(collect.waitMs()).toBe(0);
  collect.note();
  expect(collect.waitMs()).toBe(1_000);
  // The second before still counts, so that a new second does not begin with a statement for each.
  now = 1_500;
  expect(collect.waitMs()).toBe(1_000);
  now = 2_500;
  expect(collect.waitMs()).toBe(0);
});
