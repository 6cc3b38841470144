import { expect, test } from "vitest";
import { userDefinition } from "../definitions/index.ts";
import { planSearch } from "./plan.ts";

test("a filter has few patterns, also inside of brackets", () => {
  const repeat = (condition: string, times: number) =>
    Array.from({ length: times }, (_, i) => `${condition} "x${i}"`).join(" or ");
  const plan = (filter: string) => () => planSearch(userDefinition, filter);
  expect(plan(`${repeat("title co", 5)} or emails[${repeat("value ew", 5)}]`)).not.toThrow();
  expect(plan(repeat("title eq", 50))).not.toThrow();
  expect(plan(repeat("title co", 11))).toThrow("at most 10 conditions");
  expect(plan(`${repeat("title ew", 5)} or not (emails[${repeat("value co", 6)}])`)).toThrow(
    "at most 10 conditions",
  );
});
