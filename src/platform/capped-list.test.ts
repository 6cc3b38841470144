import { expect, test } from "vitest";
import { createCappedList } from "./capped-list.ts";

const fill = (items: string[], limits: { items: number; bytes: number }) => {
  const list = createCappedList<string>({ ...limits, measureSize: ({ length }) => length });
  for (const item of items) list.add(item);
  return { items: list.items, count: list.count };
};

test("the first items are kept, and all are counted", () => {
  expect(fill(["a", "b", "c"], { items: 2, bytes: 100 })).toEqual({ items: ["a", "b"], count: 3 });
});

test("the size limit applies too, and no item after the first one that does not fit is kept", () => {
  expect(fill(["aa", "bbbb", "c"], { items: 9, bytes: 4 })).toEqual({ items: ["aa"], count: 3 });
});
